/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages and remote memory over reliable connections. An RDMA context lives as doca_ctx.h says;
 * its connections are made while it is RUNNING, by exchanging what doca_rdma_export() gives, and
 * end with it. A task that fails ends its connection: what was submitted behind it fails as well,
 * with IO_FAILED, and later submits are BAD_STATE; the context and its other connections go on.
 *
 * Data of a source is its data section, of all elements in order. Data for a local destination is
 * appended: it goes to the room behind the data section of each element, whose data length grows.
 * Data for a remote destination goes behind the data section as well, but the buf stays as it is.
 * Bufs, and their references, are the application's; they must outlive the flight of the task.
 *
 * On software devices a connection is sockets, Unix-domain ones on one machine and TCP else. Read
 * when a context starts: DOCA_RDMA_SOCKETS=unix or tcp in the environment restricts them, and
 * DOCA_RDMA_SOCKET_BUFFER sets the bytes of their buffers.
 */
#ifndef DOCA_RDMA_H_
#define DOCA_RDMA_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_task;

/* How connections deliver. */
enum doca_rdma_transport_type {
	DOCA_RDMA_TRANSPORT_TYPE_RC = 0, /* reliable, between two that both connect */
	DOCA_RDMA_TRANSPORT_TYPE_DC = 1, /* reliable, and only one side connects, see export */
};

/* A global identifier of a port: an IPv6 address, or an IPv4 one as ::ffff:a.b.c.d. */
struct doca_rdma_gid {
	uint8_t raw[DOCA_GID_BYTE_LENGTH];
};

struct doca_rdma;
struct doca_rdma_connection;

/*
 * doca_rdma_create() - an IDLE context on a device.
 * dev: borrowed, must outlive the context; rdma: owned, free with doca_rdma_destroy().
 * Errors: INVALID_VALUE: a NULL argument. NO_MEMORY: no memory. NOT_SUPPORTED: no provider for
 * that device.
 * Thread: any. Source: DOCA 3.0 RDMA API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma);

/*
 * doca_rdma_destroy() - free a context with its connections and take it off its engine.
 * Errors: INVALID_VALUE: rdma NULL. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_destroy(struct doca_rdma *rdma);

/*
 * doca_rdma_as_ctx() - the context as doca_ctx.h knows it; always the same pointer.
 * Returns: lent until doca_rdma_destroy(); NULL for NULL.
 * Thread: any. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma);

/*
 * doca_rdma_export() - a new connection, and what the peer needs to connect to it.
 * RC: both sides export, exchange that, and connect. DC: the target exports, and is done: as long
 * as the connection is not connected, it serves every initiator that connects to it, 512 of them a
 * context or DOCA_RDMA_MAX_INITIATORS of the environment, and takes no tasks. An initiator exports
 * too, for a connection to connect, and keeps the details to itself; such a one serves nobody.
 * local_rdma_conn_details: lent until the connection is disconnected or the context IDLE; below
 * 4096 bytes. Who has it can connect in the peer's place: hand it over where only the peer
 * listens. rdma_connection: the context's, lent until doca_rdma_destroy(). After its end every use
 * of it is BAD_STATE, also by a task that was given to it before. From when 64 more connections of
 * the context have ended, and no callback of a task of it is to come, it may be a new one's.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: not RUNNING. FULL:
 * doca_rdma_set_max_num_connections() of them are not disconnected yet. CONNECTION_ABORTED: no
 * random bytes or no memory.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_export(struct doca_rdma *rdma, const void **local_rdma_conn_details,
			      size_t *local_rdma_conn_details_size,
			      struct doca_rdma_connection **rdma_connection);

/*
 * doca_rdma_connect() - connect an exported connection to a peer's.
 * remote_rdma_conn_details: copied. Returns at once: tasks may be submitted, and wait until the
 * peer has connected as well, for 30 s or DOCA_RDMA_CONNECT_WAIT_MS of the environment; with DC
 * the peer need not. There is no callback. Initiators that a connection of DC has served until
 * then are let go.
 * Errors: INVALID_VALUE: a NULL argument, or a connection of another context. BAD_STATE: not
 * RUNNING, or the connection is connected or ended. CONNECTION_ABORTED: the details are damaged,
 * of another version, transport or byte order.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
			       size_t remote_rdma_conn_details_size,
			       struct doca_rdma_connection *rdma_connection);

/*
 * doca_rdma_connection_disconnect() - end a connection; its slot is free again.
 * Its tasks fail with IO_FAILED, in later calls of doca_pe_progress(); receives stay posted. What
 * was completed here has reached the peer.
 * Errors: INVALID_VALUE: NULL. BAD_STATE: disconnected already, by this call or by the context's
 * stop.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_disconnect(struct doca_rdma_connection *rdma_connection);

/*
 * doca_rdma_connection_set_user_data() - attach a value of the application's.
 * connection_user_data: copied.
 * Errors: INVALID_VALUE: rdma_connection NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_set_user_data(struct doca_rdma_connection *rdma_connection,
						union doca_data connection_user_data);

/*
 * doca_rdma_connection_get_user_data() - the value attached last; 0 before.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_get_user_data(const struct doca_rdma_connection *rdma_connection,
						union doca_data *connection_user_data);

/*
 * doca_rdma_connection_get_id() - a number that no other connection of the process has.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_get_id(const struct doca_rdma_connection *rdma_connection,
					 uint32_t *connection_id);

/*
 * doca_rdma_cap_get_max_recv_queue_size() - the most receives that can be posted.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: no RDMA on that device.
 * Thread: any. Source: DOCA 3.0 RDMA API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
						   uint32_t *max_recv_queue_size);

/*
 * doca_rdma_cap_get_max_send_queue_size() - the largest depth of a send queue.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: no RDMA on that device.
 * Thread: any. Source: DOCA 3.0 RDMA API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
						   uint32_t *max_send_queue_size);

/*
 * doca_rdma_cap_get_max_send_buf_list_len() - the most elements in a local source or destination
 * of a send, read or write.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: no RDMA on that device.
 * Thread: any. Source: DOCA 3.0 RDMA API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
						     uint32_t *max_send_buf_list_len);

/*
 * doca_rdma_cap_get_max_message_size() - the most bytes of one task.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: no RDMA on that device.
 * Thread: any. Source: DOCA 3.0 RDMA API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_message_size(const struct doca_devinfo *devinfo,
						uint32_t *max_message_size);

/*
 * doca_rdma_cap_get_gid_table_size() - the number of entries in the table of addresses.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: no RDMA on that device.
 * Thread: any. Source: DOCA 3.0 RDMA API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo,
					      uint32_t *gid_table_size);

/*
 * doca_rdma_cap_get_gid() - entries of the table of addresses; unused ones are zero.
 * gid_array: num_entries entries. Errors: INVALID_VALUE: a NULL argument, num_entries 0, or
 * entries behind the end. NOT_SUPPORTED: no RDMA on that device.
 * Thread: any. Source: DOCA 3.0 RDMA API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo, uint32_t start_index,
				   uint32_t num_entries, struct doca_rdma_gid *gid_array);

/*
 * doca_rdma_cap_transport_type_is_supported() - SUCCESS: it is.
 * Errors: INVALID_VALUE: devinfo NULL, or no transport. NOT_SUPPORTED: it is not; both are,
 * on software devices.
 * Thread: any. Source: DOCA 3.0 RDMA API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
					  enum doca_rdma_transport_type transport_type);

/*
 * doca_rdma_set_send_queue_size() - how many send, read and write tasks of a connection can be in
 * flight.
 * Rounded up to a power of two; 256 by default. The task beyond is refused with FULL.
 * Errors: INVALID_VALUE: rdma NULL, or 0. NOT_SUPPORTED: more than the device has. BAD_STATE: not
 * IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; defaults ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size);

/*
 * doca_rdma_get_send_queue_size() - the depth in force: a power of two.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *send_queue_size);

/*
 * doca_rdma_set_recv_queue_size() - not for contexts of the processor.
 * The receives that can be posted are those of doca_rdma_task_receive_set_conf().
 * Errors: INVALID_VALUE: rdma NULL. BAD_STATE: not IDLE. NOT_SUPPORTED: always.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; defaults ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size);

/*
 * doca_rdma_get_recv_queue_size() - not for contexts of the processor.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma, uint32_t *recv_queue_size);

/*
 * doca_rdma_set_max_send_buf_list_len() - how long local lists of send, read and write tasks may
 * be.
 * 16 by default.
 * Errors: INVALID_VALUE: rdma NULL, 0, or more than the device has. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; defaults ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_max_send_buf_list_len(struct doca_rdma *rdma,
						 uint32_t max_send_buf_list_len);

/*
 * doca_rdma_get_max_send_buf_list_len() - the length in force.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_max_send_buf_list_len(const struct doca_rdma *rdma,
						 uint32_t *max_send_buf_list_len);

/*
 * doca_rdma_set_transport_type() - how connections deliver; RC by default.
 * Errors: INVALID_VALUE: rdma NULL, or no transport. NOT_SUPPORTED: the device has it not.
 * BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; defaults ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
					  enum doca_rdma_transport_type transport_type);

/*
 * doca_rdma_get_transport_type() - the transport in force.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_transport_type(const struct doca_rdma *rdma,
					  enum doca_rdma_transport_type *transport_type);

/*
 * doca_rdma_set_mtu() - the packet size; 1K by default, and without effect on software devices.
 * Errors: INVALID_VALUE: rdma NULL, or no size. NOT_SUPPORTED: RAW_ETHERNET. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; defaults ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu);

/*
 * doca_rdma_get_mtu() - the packet size in force.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu);

/*
 * doca_rdma_set_permissions() - what peers may do through this context; nothing by default.
 * permissions: the RDMA bits of doca_access_flag; LOCAL_READ_WRITE is accepted and means nothing
 * here. A peer needs the bit of its task here and in the mmap.
 * Errors: INVALID_VALUE: rdma NULL, or other bits. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; defaults ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions);

/*
 * doca_rdma_get_permissions() - the permissions that were set.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions);

/*
 * doca_rdma_set_grh_enabled() - global routing headers: always on for Ethernet.
 * Errors: INVALID_VALUE: rdma NULL, or above 1. NOT_SUPPORTED: 0. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; defaults ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled);

/*
 * doca_rdma_get_grh_enabled() - 1.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, uint8_t *grh_enabled);

/*
 * doca_rdma_set_gid_index() - which address of the device peers are told, and connections to them
 * come from; 0 by default. To a peer at an address of the other family they come from the
 * device's of that family, when it has one.
 * Errors: INVALID_VALUE: rdma NULL, or behind the table of addresses. BAD_STATE: not IDLE. An
 * entry that is unused is refused at start.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; defaults ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index);

/*
 * doca_rdma_get_gid_index() - the index in force.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index);

/*
 * doca_rdma_set_sl() - the service level, 0 to 15; without effect on software devices.
 * Errors: INVALID_VALUE: rdma NULL, or above 15. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; defaults ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl);

/*
 * doca_rdma_get_sl() - the level in force.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl);

/*
 * doca_rdma_set_max_num_connections() - how many connections there can be at once; 1 by default.
 * Those that were exported count, and not the initiators that one of DC serves.
 * Errors: INVALID_VALUE: rdma NULL. NOT_SUPPORTED: 0. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; defaults ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma,
					       uint16_t max_num_connections);

/*
 * doca_rdma_get_max_num_connections() - the number in force.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_max_num_connections(struct doca_rdma *rdma,
					       uint16_t *max_num_connections);

/*
 * doca_rdma_set_rnr_retry_count() - how long a message waits for a receive of the peer's.
 * rnr_retry_count: times 100 ms; 7, the default, is for ever. When it is over, the task fails with
 * IO_FAILED.
 * Errors: INVALID_VALUE: rdma NULL, or above 7. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; defaults ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_rnr_retry_count(struct doca_rdma *rdma, uint8_t rnr_retry_count);

/*
 * doca_rdma_get_rnr_retry_count() - the count in force.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_rnr_retry_count(const struct doca_rdma *rdma, uint8_t *rnr_retry_count);

/* What a receive task has received. */
enum doca_rdma_opcode {
	DOCA_RDMA_OPCODE_RECV_SEND = 0,
	DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM = 1,
	DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM = 2, /* the data is in the memory that was written */
};

/* A task that receives a message of any peer of the context. */
struct doca_rdma_task_receive;

/*
 * A receive task has ended. Runs in doca_pe_progress(), on its thread. task: the application's
 * again, to free or to submit. task_user_data: of the task; ctx_user_data: of the context.
 * doca_pe_progress() must not be called in it.
 */
typedef void (*doca_rdma_task_receive_completion_cb_t)(struct doca_rdma_task_receive *task,
						       union doca_data task_user_data,
						       union doca_data ctx_user_data);

/*
 * doca_rdma_cap_task_receive_is_supported() - SUCCESS: it is.
 * Errors: INVALID_VALUE: devinfo NULL. NOT_SUPPORTED: it is not.
 * Thread: any. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_receive_is_supported(const struct doca_devinfo *devinfo);

/*
 * doca_rdma_cap_task_receive_get_max_dst_buf_list_len() - the most elements in the destination of
 * a receive.
 * Errors: INVALID_VALUE: a NULL argument, or no transport. NOT_SUPPORTED: the device has not that
 * transport.
 * Thread: any. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_task_receive_get_max_dst_buf_list_len(const struct doca_devinfo *devinfo,
						    enum doca_rdma_transport_type transport_type,
						    uint32_t *max_buf_list_len);

/*
 * doca_rdma_task_receive_set_conf() - callbacks and pool size; needed before tasks can be
 * allocated.
 * num_tasks: entries, made when the context starts. A second call replaces the first.
 * Errors: INVALID_VALUE: a NULL argument, or num_tasks 0 or above 32768, see
 * doca_rdma_cap_get_max_recv_queue_size(). BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_set_conf(struct doca_rdma *rdma,
					     doca_rdma_task_receive_completion_cb_t success_cb,
					     doca_rdma_task_receive_completion_cb_t error_cb,
					     uint32_t num_tasks);

/*
 * doca_rdma_task_receive_set_dst_buf_list_len() - how long destinations of receives may be; 4 by
 * default.
 * Errors: INVALID_VALUE: rdma NULL, 0, or more than the device has. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma,
							 uint32_t buf_list_len);

/*
 * doca_rdma_task_receive_get_dst_buf_list_len() - the length in force.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_get_dst_buf_list_len(const struct doca_rdma *rdma,
							 uint32_t *buf_list_len);

/*
 * doca_rdma_task_receive_allocate_init() - take a task from the pool and fill it in.
 * dst_buf: borrowed; a list of at most doca_rdma_task_receive_get_dst_buf_list_len() elements, in
 * mmaps with local write; NULL for messages without data. Messages take the receives in the order
 * in which these were submitted. One that is longer than the room fails, here and at the peer.
 * user_data: copied. task: owned, free with doca_task_free().
 * Submit: INVALID_VALUE: a list is too long, imported, or in a mmap without the device.
 * NOT_PERMITTED: a destination without local write.
 * Errors: INVALID_VALUE: rdma or task NULL. BAD_STATE: not RUNNING, or set_conf was never called.
 * NO_MEMORY: all tasks are allocated.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_allocate_init(struct doca_rdma *rdma, struct doca_buf *dst_buf,
						  union doca_data user_data,
						  struct doca_rdma_task_receive **task);

/*
 * doca_rdma_task_receive_as_task() - the task as doca_pe.h knows it; the same object.
 * Returns: lent until the task is freed; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_receive_as_task(struct doca_rdma_task_receive *task);

/*
 * doca_rdma_task_receive_set_dst_buf() - another destination, while the task is not in flight.
 * As in allocate_init. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_receive_set_dst_buf(struct doca_rdma_task_receive *task,
					struct doca_buf *dst_buf);

/*
 * doca_rdma_task_receive_get_dst_buf() - the destination set last.
 * Returns: the caller's own buf; NULL for NULL. Also after doca_task_free(), until the task is
 * allocated again.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_receive_get_dst_buf(const struct doca_rdma_task_receive *task);

/*
 * doca_rdma_task_receive_get_result_len() - the bytes that came, or that were written by a write
 * with immediate.
 * Returns: valid after success; 0 for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
uint32_t doca_rdma_task_receive_get_result_len(const struct doca_rdma_task_receive *task);

/*
 * doca_rdma_task_receive_get_result_opcode() - what it was that came.
 * Returns: valid after success; RECV_SEND for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
enum doca_rdma_opcode
doca_rdma_task_receive_get_result_opcode(const struct doca_rdma_task_receive *task);

/*
 * doca_rdma_task_receive_get_result_immediate_data() - the immediate value that came, as the peer
 * gave it.
 * Returns: valid after success with an opcode that has one; 0 for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_be32_t
doca_rdma_task_receive_get_result_immediate_data(const struct doca_rdma_task_receive *task);

/*
 * doca_rdma_task_receive_get_result_rdma_connection() - the connection that it came over.
 * DC: the exported one that the initiator addressed, which tells nothing of who that is, and takes
 * no tasks.
 * Returns: the context's; valid in the success callback; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_receive_get_result_rdma_connection(const struct doca_rdma_task_receive *task);

/* A task that sends a message, which takes a receive of the peer's. */
struct doca_rdma_task_send;

/*
 * A send task has ended. Runs in doca_pe_progress(), on its thread. task: the application's again,
 * to free or to submit. task_user_data: of the task; ctx_user_data: of the context.
 * doca_pe_progress() must not be called in it.
 */
typedef void (*doca_rdma_task_send_completion_cb_t)(struct doca_rdma_task_send *task,
						    union doca_data task_user_data,
						    union doca_data ctx_user_data);

/*
 * doca_rdma_cap_task_send_is_supported() - SUCCESS: it is.
 * Errors: INVALID_VALUE: devinfo NULL. NOT_SUPPORTED: it is not.
 * Thread: any. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_send_is_supported(const struct doca_devinfo *devinfo);

/*
 * doca_rdma_task_send_set_conf() - callbacks and pool size; needed before tasks can be allocated.
 * num_tasks: entries, made when the context starts. A second call replaces the first.
 * Errors: INVALID_VALUE: a NULL argument, or num_tasks 0 or above 65536. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_set_conf(struct doca_rdma *rdma,
					  doca_rdma_task_send_completion_cb_t success_cb,
					  doca_rdma_task_send_completion_cb_t error_cb,
					  uint32_t num_tasks);

/*
 * doca_rdma_task_send_allocate_init() - take a task from the pool and fill it in.
 * rdma_connection: borrowed; one that is connected at submit. src_buf: borrowed; local, a list of
 * at most doca_rdma_get_max_send_buf_list_len() elements; NULL for no data. It succeeds when the
 * peer has the data. user_data: copied. task: owned, free with doca_task_free().
 * Submit: INVALID_VALUE: the connection is NULL or of another context, a list is too long, local
 * and remote are mixed up, a mmap is without the device, a range is outside, the message is too
 * long. NOT_PERMITTED: a destination without local write. BAD_STATE: the connection is not
 * connected or has ended. FULL: the send queue is.
 * Errors: INVALID_VALUE: rdma or task NULL. BAD_STATE: not RUNNING, or set_conf was never called.
 * NO_MEMORY: all tasks are allocated.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_allocate_init(struct doca_rdma *rdma,
					       struct doca_rdma_connection *rdma_connection,
					       const struct doca_buf *src_buf,
					       union doca_data user_data,
					       struct doca_rdma_task_send **task);

/*
 * doca_rdma_task_send_as_task() - the task as doca_pe.h knows it; the same object.
 * Returns: lent until the task is freed; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_send_as_task(struct doca_rdma_task_send *task);

/*
 * doca_rdma_task_send_set_src_buf() - another source, while the task is not in flight.
 * As in allocate_init. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_set_src_buf(struct doca_rdma_task_send *task,
				     const struct doca_buf *src_buf);

/*
 * doca_rdma_task_send_get_src_buf() - the source set last.
 * Returns: the caller's own buf; NULL for NULL. Also after doca_task_free(), until the task is
 * allocated again.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_send_get_src_buf(const struct doca_rdma_task_send *task);

/*
 * doca_rdma_task_send_set_rdma_connection() - another connection, while the task is not in flight.
 * rdma_connection: borrowed; NULL is refused at submit. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_set_rdma_connection(struct doca_rdma_task_send *task,
					     struct doca_rdma_connection *rdma_connection);

/*
 * doca_rdma_task_send_get_rdma_connection() - the connection set last.
 * Returns: the context's; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_send_get_rdma_connection(const struct doca_rdma_task_send *task);

/* A task that sends a message and 32 bits, which take a receive of the peer's. */
struct doca_rdma_task_send_imm;

/*
 * A send_imm task has ended. Runs in doca_pe_progress(), on its thread. task: the application's
 * again, to free or to submit. task_user_data: of the task; ctx_user_data: of the context.
 * doca_pe_progress() must not be called in it.
 */
typedef void (*doca_rdma_task_send_imm_completion_cb_t)(struct doca_rdma_task_send_imm *task,
							union doca_data task_user_data,
							union doca_data ctx_user_data);

/*
 * doca_rdma_cap_task_send_imm_is_supported() - SUCCESS: it is.
 * Errors: INVALID_VALUE: devinfo NULL. NOT_SUPPORTED: it is not.
 * Thread: any. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_send_imm_is_supported(const struct doca_devinfo *devinfo);

/*
 * doca_rdma_task_send_imm_set_conf() - callbacks and pool size; needed before tasks can be
 * allocated.
 * num_tasks: entries, made when the context starts. A second call replaces the first.
 * Errors: INVALID_VALUE: a NULL argument, or num_tasks 0 or above 65536. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_imm_set_conf(struct doca_rdma *rdma,
					      doca_rdma_task_send_imm_completion_cb_t success_cb,
					      doca_rdma_task_send_imm_completion_cb_t error_cb,
					      uint32_t num_tasks);

/*
 * doca_rdma_task_send_imm_allocate_init() - take a task from the pool and fill it in.
 * rdma_connection: borrowed; one that is connected at submit. src_buf: borrowed; local, a list of
 * at most doca_rdma_get_max_send_buf_list_len() elements; NULL for no data. immediate_data: comes
 * to the peer as it is. It succeeds when the peer has both. user_data: copied. task: owned, free
 * with doca_task_free().
 * Submit: INVALID_VALUE: the connection is NULL or of another context, a list is too long, local
 * and remote are mixed up, a mmap is without the device, a range is outside, the message is too
 * long. NOT_PERMITTED: a destination without local write. BAD_STATE: the connection is not
 * connected or has ended. FULL: the send queue is.
 * Errors: INVALID_VALUE: rdma or task NULL. BAD_STATE: not RUNNING, or set_conf was never called.
 * NO_MEMORY: all tasks are allocated.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_imm_allocate_init(struct doca_rdma *rdma,
						   struct doca_rdma_connection *rdma_connection,
						   const struct doca_buf *src_buf,
						   doca_be32_t immediate_data,
						   union doca_data user_data,
						   struct doca_rdma_task_send_imm **task);

/*
 * doca_rdma_task_send_imm_as_task() - the task as doca_pe.h knows it; the same object.
 * Returns: lent until the task is freed; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_send_imm_as_task(struct doca_rdma_task_send_imm *task);

/*
 * doca_rdma_task_send_imm_set_src_buf() - another source, while the task is not in flight.
 * As in allocate_init. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_imm_set_src_buf(struct doca_rdma_task_send_imm *task,
					 const struct doca_buf *src_buf);

/*
 * doca_rdma_task_send_imm_get_src_buf() - the source set last.
 * Returns: the caller's own buf; NULL for NULL. Also after doca_task_free(), until the task is
 * allocated again.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *
doca_rdma_task_send_imm_get_src_buf(const struct doca_rdma_task_send_imm *task);

/*
 * doca_rdma_task_send_imm_set_immediate_data() - another immediate value, while the task is not in
 * flight.
 * As in allocate_init. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_imm_set_immediate_data(struct doca_rdma_task_send_imm *task,
						doca_be32_t immediate_data);

/*
 * doca_rdma_task_send_imm_get_immediate_data() - the value set last.
 * Returns: 0 for NULL. Also after doca_task_free(), until the task is allocated again.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_be32_t doca_rdma_task_send_imm_get_immediate_data(const struct doca_rdma_task_send_imm *task);

/*
 * doca_rdma_task_send_imm_set_rdma_connection() - another connection, while the task is not in
 * flight.
 * rdma_connection: borrowed; NULL is refused at submit. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_imm_set_rdma_connection(struct doca_rdma_task_send_imm *task,
						 struct doca_rdma_connection *rdma_connection);

/*
 * doca_rdma_task_send_imm_get_rdma_connection() - the connection set last.
 * Returns: the context's; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_send_imm_get_rdma_connection(const struct doca_rdma_task_send_imm *task);

/* A task that reads memory of the peer's. */
struct doca_rdma_task_read;

/*
 * A read task has ended. Runs in doca_pe_progress(), on its thread. task: the application's again,
 * to free or to submit. task_user_data: of the task; ctx_user_data: of the context.
 * doca_pe_progress() must not be called in it.
 */
typedef void (*doca_rdma_task_read_completion_cb_t)(struct doca_rdma_task_read *task,
						    union doca_data task_user_data,
						    union doca_data ctx_user_data);

/*
 * doca_rdma_cap_task_read_is_supported() - SUCCESS: it is.
 * Errors: INVALID_VALUE: devinfo NULL. NOT_SUPPORTED: it is not.
 * Thread: any. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_read_is_supported(const struct doca_devinfo *devinfo);

/*
 * doca_rdma_task_read_set_conf() - callbacks and pool size; needed before tasks can be allocated.
 * num_tasks: entries, made when the context starts. A second call replaces the first.
 * Errors: INVALID_VALUE: a NULL argument, or num_tasks 0 or above 65536. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_read_set_conf(struct doca_rdma *rdma,
					  doca_rdma_task_read_completion_cb_t success_cb,
					  doca_rdma_task_read_completion_cb_t error_cb,
					  uint32_t num_tasks);

/*
 * doca_rdma_task_read_allocate_init() - take a task from the pool and fill it in.
 * rdma_connection: borrowed; one that is connected at submit. src_buf: borrowed; of an imported
 * mmap, only the first element counts: its data is read; NULL for nothing. dst_buf: borrowed;
 * local, a list of at most doca_rdma_get_max_send_buf_list_len() elements, in mmaps with local
 * write. The peer must permit RDMA_READ, or it fails with NOT_PERMITTED. user_data: copied. task:
 * owned, free with doca_task_free().
 * Submit: INVALID_VALUE: the connection is NULL or of another context, a list is too long, local
 * and remote are mixed up, a mmap is without the device, a range is outside, the message is too
 * long. NOT_PERMITTED: a destination without local write. BAD_STATE: the connection is not
 * connected or has ended. FULL: the send queue is. Too little room in dst_buf is INVALID_VALUE.
 * Errors: INVALID_VALUE: rdma or task NULL. BAD_STATE: not RUNNING, or set_conf was never called.
 * NO_MEMORY: all tasks are allocated.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_read_allocate_init(struct doca_rdma *rdma,
					       struct doca_rdma_connection *rdma_connection,
					       const struct doca_buf *src_buf,
					       struct doca_buf *dst_buf, union doca_data user_data,
					       struct doca_rdma_task_read **task);

/*
 * doca_rdma_task_read_as_task() - the task as doca_pe.h knows it; the same object.
 * Returns: lent until the task is freed; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_read_as_task(struct doca_rdma_task_read *task);

/*
 * doca_rdma_task_read_set_src_buf() - another source, while the task is not in flight.
 * As in allocate_init. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_read_set_src_buf(struct doca_rdma_task_read *task,
				     const struct doca_buf *src_buf);

/*
 * doca_rdma_task_read_get_src_buf() - the source set last.
 * Returns: the caller's own buf; NULL for NULL. Also after doca_task_free(), until the task is
 * allocated again.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_read_get_src_buf(const struct doca_rdma_task_read *task);

/*
 * doca_rdma_task_read_set_dst_buf() - another destination, while the task is not in flight.
 * As in allocate_init. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_read_set_dst_buf(struct doca_rdma_task_read *task, struct doca_buf *dst_buf);

/*
 * doca_rdma_task_read_get_dst_buf() - the destination set last.
 * Returns: the caller's own buf; NULL for NULL. Also after doca_task_free(), until the task is
 * allocated again.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_read_get_dst_buf(const struct doca_rdma_task_read *task);

/*
 * doca_rdma_task_read_get_result_len() - the bytes that came.
 * Returns: valid after success; 0 for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
uint32_t doca_rdma_task_read_get_result_len(const struct doca_rdma_task_read *task);

/*
 * doca_rdma_task_read_set_rdma_connection() - another connection, while the task is not in flight.
 * rdma_connection: borrowed; NULL is refused at submit. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_read_set_rdma_connection(struct doca_rdma_task_read *task,
					     struct doca_rdma_connection *rdma_connection);

/*
 * doca_rdma_task_read_get_rdma_connection() - the connection set last.
 * Returns: the context's; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_read_get_rdma_connection(const struct doca_rdma_task_read *task);

/* A task that writes to memory of the peer's. */
struct doca_rdma_task_write;

/*
 * A write task has ended. Runs in doca_pe_progress(), on its thread. task: the application's again,
 * to free or to submit. task_user_data: of the task; ctx_user_data: of the context.
 * doca_pe_progress() must not be called in it.
 */
typedef void (*doca_rdma_task_write_completion_cb_t)(struct doca_rdma_task_write *task,
						     union doca_data task_user_data,
						     union doca_data ctx_user_data);

/*
 * doca_rdma_cap_task_write_is_supported() - SUCCESS: it is.
 * Errors: INVALID_VALUE: devinfo NULL. NOT_SUPPORTED: it is not.
 * Thread: any. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo);

/*
 * doca_rdma_task_write_set_conf() - callbacks and pool size; needed before tasks can be allocated.
 * num_tasks: entries, made when the context starts. A second call replaces the first.
 * Errors: INVALID_VALUE: a NULL argument, or num_tasks 0 or above 65536. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_set_conf(struct doca_rdma *rdma,
					   doca_rdma_task_write_completion_cb_t success_cb,
					   doca_rdma_task_write_completion_cb_t error_cb,
					   uint32_t num_tasks);

/*
 * doca_rdma_task_write_allocate_init() - take a task from the pool and fill it in.
 * rdma_connection: borrowed; one that is connected at submit. src_buf: borrowed; local, a list of
 * at most doca_rdma_get_max_send_buf_list_len() elements; NULL for no data. dst_buf: borrowed; of
 * an imported mmap, only the first element counts; NULL only without data. The peer must permit
 * RDMA_WRITE, or it fails with NOT_PERMITTED. It succeeds when the data is in place. user_data:
 * copied. task: owned, free with doca_task_free().
 * Submit: INVALID_VALUE: the connection is NULL or of another context, a list is too long, local
 * and remote are mixed up, a mmap is without the device, a range is outside, the message is too
 * long. NOT_PERMITTED: a destination without local write. BAD_STATE: the connection is not
 * connected or has ended. FULL: the send queue is.
 * Errors: INVALID_VALUE: rdma or task NULL. BAD_STATE: not RUNNING, or set_conf was never called.
 * NO_MEMORY: all tasks are allocated.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
						struct doca_rdma_connection *rdma_connection,
						const struct doca_buf *src_buf,
						struct doca_buf *dst_buf, union doca_data user_data,
						struct doca_rdma_task_write **task);

/*
 * doca_rdma_task_write_as_task() - the task as doca_pe.h knows it; the same object.
 * Returns: lent until the task is freed; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_write_as_task(struct doca_rdma_task_write *task);

/*
 * doca_rdma_task_write_set_src_buf() - another source, while the task is not in flight.
 * As in allocate_init. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_set_src_buf(struct doca_rdma_task_write *task,
				      const struct doca_buf *src_buf);

/*
 * doca_rdma_task_write_get_src_buf() - the source set last.
 * Returns: the caller's own buf; NULL for NULL. Also after doca_task_free(), until the task is
 * allocated again.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_write_get_src_buf(const struct doca_rdma_task_write *task);

/*
 * doca_rdma_task_write_set_dst_buf() - another destination, while the task is not in flight.
 * As in allocate_init. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_set_dst_buf(struct doca_rdma_task_write *task, struct doca_buf *dst_buf);

/*
 * doca_rdma_task_write_get_dst_buf() - the destination set last.
 * Returns: the caller's own buf; NULL for NULL. Also after doca_task_free(), until the task is
 * allocated again.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_write_get_dst_buf(const struct doca_rdma_task_write *task);

/*
 * doca_rdma_task_write_set_rdma_connection() - another connection, while the task is not in
 * flight.
 * rdma_connection: borrowed; NULL is refused at submit. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_set_rdma_connection(struct doca_rdma_task_write *task,
					      struct doca_rdma_connection *rdma_connection);

/*
 * doca_rdma_task_write_get_rdma_connection() - the connection set last.
 * Returns: the context's; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_write_get_rdma_connection(const struct doca_rdma_task_write *task);

/* A task that writes to memory of the peer's, and 32 bits, which take a receive there. */
struct doca_rdma_task_write_imm;

/*
 * A write_imm task has ended. Runs in doca_pe_progress(), on its thread. task: the application's
 * again, to free or to submit. task_user_data: of the task; ctx_user_data: of the context.
 * doca_pe_progress() must not be called in it.
 */
typedef void (*doca_rdma_task_write_imm_completion_cb_t)(struct doca_rdma_task_write_imm *task,
							 union doca_data task_user_data,
							 union doca_data ctx_user_data);

/*
 * doca_rdma_cap_task_write_imm_is_supported() - SUCCESS: it is.
 * Errors: INVALID_VALUE: devinfo NULL. NOT_SUPPORTED: it is not.
 * Thread: any. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_write_imm_is_supported(const struct doca_devinfo *devinfo);

/*
 * doca_rdma_task_write_imm_set_conf() - callbacks and pool size; needed before tasks can be
 * allocated.
 * num_tasks: entries, made when the context starts. A second call replaces the first.
 * Errors: INVALID_VALUE: a NULL argument, or num_tasks 0 or above 65536. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_imm_set_conf(struct doca_rdma *rdma,
					       doca_rdma_task_write_imm_completion_cb_t success_cb,
					       doca_rdma_task_write_imm_completion_cb_t error_cb,
					       uint32_t num_tasks);

/*
 * doca_rdma_task_write_imm_allocate_init() - take a task from the pool and fill it in.
 * rdma_connection: borrowed; one that is connected at submit. src_buf: borrowed; local, a list of
 * at most doca_rdma_get_max_send_buf_list_len() elements; NULL for no data. dst_buf: borrowed; of
 * an imported mmap, only the first element counts; NULL only without data. immediate_data: comes
 * to the peer as it is, in a receive whose dst_buf stays untouched. The peer must permit
 * RDMA_WRITE, or it fails with NOT_PERMITTED. user_data: copied. task: owned, free with
 * doca_task_free().
 * Submit: INVALID_VALUE: the connection is NULL or of another context, a list is too long, local
 * and remote are mixed up, a mmap is without the device, a range is outside, the message is too
 * long. NOT_PERMITTED: a destination without local write. BAD_STATE: the connection is not
 * connected or has ended. FULL: the send queue is.
 * Errors: INVALID_VALUE: rdma or task NULL. BAD_STATE: not RUNNING, or set_conf was never called.
 * NO_MEMORY: all tasks are allocated.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_imm_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    const struct doca_buf *src_buf, struct doca_buf *dst_buf, doca_be32_t immediate_data,
    union doca_data user_data, struct doca_rdma_task_write_imm **task);

/*
 * doca_rdma_task_write_imm_as_task() - the task as doca_pe.h knows it; the same object.
 * Returns: lent until the task is freed; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_write_imm_as_task(struct doca_rdma_task_write_imm *task);

/*
 * doca_rdma_task_write_imm_set_src_buf() - another source, while the task is not in flight.
 * As in allocate_init. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_src_buf(struct doca_rdma_task_write_imm *task,
					  const struct doca_buf *src_buf);

/*
 * doca_rdma_task_write_imm_get_src_buf() - the source set last.
 * Returns: the caller's own buf; NULL for NULL. Also after doca_task_free(), until the task is
 * allocated again.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *
doca_rdma_task_write_imm_get_src_buf(const struct doca_rdma_task_write_imm *task);

/*
 * doca_rdma_task_write_imm_set_dst_buf() - another destination, while the task is not in flight.
 * As in allocate_init. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_dst_buf(struct doca_rdma_task_write_imm *task,
					  struct doca_buf *dst_buf);

/*
 * doca_rdma_task_write_imm_get_dst_buf() - the destination set last.
 * Returns: the caller's own buf; NULL for NULL. Also after doca_task_free(), until the task is
 * allocated again.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_write_imm_get_dst_buf(const struct doca_rdma_task_write_imm *task);

/*
 * doca_rdma_task_write_imm_set_immediate_data() - another immediate value, while the task is not
 * in flight.
 * As in allocate_init. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_immediate_data(struct doca_rdma_task_write_imm *task,
						 doca_be32_t immediate_data);

/*
 * doca_rdma_task_write_imm_get_immediate_data() - the value set last.
 * Returns: 0 for NULL. Also after doca_task_free(), until the task is allocated again.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
doca_be32_t
doca_rdma_task_write_imm_get_immediate_data(const struct doca_rdma_task_write_imm *task);

/*
 * doca_rdma_task_write_imm_set_rdma_connection() - another connection, while the task is not in
 * flight.
 * rdma_connection: borrowed; NULL is refused at submit. task: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_rdma_connection(struct doca_rdma_task_write_imm *task,
						  struct doca_rdma_connection *rdma_connection);

/*
 * doca_rdma_task_write_imm_get_rdma_connection() - the connection set last.
 * Returns: the context's; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 RDMA API.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_write_imm_get_rdma_connection(const struct doca_rdma_task_write_imm *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_RDMA_H_ */
