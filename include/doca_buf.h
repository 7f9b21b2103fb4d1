/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A buffer describes a part of an mmap: [head, head + len), within it the data
 * [data, data + data_len). Tasks read the data of a source and append to the data of a destination.
 * Buffers are taken from an inventory or a pool with one reference and go back with the last.
 * They can be chained to lists; the head counts references for its whole list and stands for it in
 * a task. Buffers of one inventory are used by one thread at a time.
 */
#ifndef DOCA_BUF_H_
#define DOCA_BUF_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;

/*
 * doca_buf_inc_refcount() - one more owner of a lone buffer or of a list.
 * refcount: may be NULL; the count before.
 * Errors: INVALID_VALUE: buf NULL. BAD_STATE: buf was given back. NOT_PERMITTED: inside a list, not
 * its head. TOO_BIG: the count is UINT16_MAX.
 * Thread: any, one at a time for an inventory. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_STABLE
doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);

/*
 * doca_buf_dec_refcount() - one owner fewer; the last gives the buffer, or all of its list, back.
 * refcount: may be NULL; the count before. At 1 before, buf must not be used any more.
 * Errors: INVALID_VALUE: buf NULL. NOT_PERMITTED: inside a list, not its head. BAD_STATE: the count
 * is 0.
 * Thread: any, one at a time for an inventory. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);

/*
 * doca_buf_get_refcount() - the count now; 1 for elements inside a list.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NULL check ours.
 */
DOCA_STABLE
doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount);

/*
 * doca_buf_get_len() - bytes that this element can hold, counted from its head.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NULL check ours.
 */
DOCA_STABLE
doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);

/*
 * doca_buf_get_head() - where this element begins.
 * head: of an imported mmap an address of the exporter's, not to be followed here.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NULL check ours.
 */
DOCA_STABLE
doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);

/*
 * doca_buf_get_data_len() - bytes of data in this element.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NULL check ours.
 */
DOCA_STABLE
doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);

/*
 * doca_buf_get_data() - where the data of this element begins.
 * data: of an imported mmap an address of the exporter's, not to be followed here.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NULL check ours.
 */
DOCA_STABLE
doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);

/*
 * doca_buf_set_data() - say where the data lies; no byte is moved.
 * data: within the buffer, its end included. data_len: bytes.
 * Errors: INVALID_VALUE: buf NULL, or [data, data + data_len) not within [head, head + len).
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; checks ours.
 */
DOCA_STABLE
doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);

/*
 * doca_buf_set_data_len() - say how much data there is; where it begins stays.
 * data_len: bytes.
 * Errors: INVALID_VALUE: buf NULL, or [data, data + data_len) not within [head, head + len).
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; checks ours.
 */
DOCA_STABLE
doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len);

/*
 * doca_buf_reset_data_len() - no data any more; where it begins stays.
 * Errors: INVALID_VALUE: buf NULL.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NULL check ours.
 */
DOCA_STABLE
doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/*
 * doca_buf_get_next_in_list() - the element after buf.
 * next_buf: lent while the list holds it; NULL after the last.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NULL check ours.
 */
DOCA_STABLE
doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf);

/*
 * doca_buf_get_last_in_list() - the last element at or after buf.
 * last_buf: lent while the list holds it; buf itself when nothing follows.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf);

/*
 * doca_buf_is_last_in_list() - 1 when nothing follows, also for a lone buffer, else 0.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NULL check ours.
 */
DOCA_STABLE
doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last);

/*
 * doca_buf_is_first_in_list() - 1 for a head, also for a lone buffer, else 0.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NULL check ours.
 */
DOCA_STABLE
doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first);

/*
 * doca_buf_is_in_list() - 1 when chained to at least one other, 0 for a lone buffer.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NULL check ours.
 */
DOCA_STABLE
doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list);

/*
 * doca_buf_get_list_len() - elements of the list that buf heads; 1 for a lone buffer.
 * Errors: INVALID_VALUE: a NULL argument. NOT_PERMITTED: buf is not a head.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements);

/*
 * doca_buf_chain_list() - append list2 to the end of list1; the elements may be of any mmaps.
 * list1, list2: heads or lone buffers. list2: taken, its one reference becomes part of list1's.
 * Errors: INVALID_VALUE: a NULL argument. NOT_PERMITTED: one is not a head, both are the same, or
 * list2 has more than one reference.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; checks of heads ours.
 */
DOCA_STABLE
doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2);

/*
 * doca_buf_chain_list_tail() - doca_buf_chain_list() for who knows the end of list1; as fast here.
 * list1_tail: the last element of list1_head's list. list2: taken, its one reference becomes part
 * of list1's.
 * Errors: INVALID_VALUE: a NULL argument, or list1_tail is not last in that list. NOT_PERMITTED: a
 * head is none, both are the same, or list2 has more than one reference.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; checks of heads ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head, struct doca_buf *list1_tail,
				      struct doca_buf *list2);

/*
 * doca_buf_unchain_list() - cut a list in front of list2, which becomes a head.
 * list1: the head. list2: owned, with one reference; free with doca_buf_dec_refcount().
 * Errors: INVALID_VALUE: a NULL argument, list1 not the head, or list2 not a later element of it.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_H_ */
