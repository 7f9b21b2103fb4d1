/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An mmap is one range of memory that devices may use, with the rights that they get. Life: create,
 * set a range, rights and devices, start (all of that is fixed then), make buffers, export, stop,
 * destroy. Or: create_from_export, which stands for a peer's range; it is usable at once, cannot be
 * changed, has no local memory behind it, and needs neither a connection nor a peer that is alive.
 * The memory stays the application's and is never touched by stop or destroy.
 */
#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_devinfo;
struct doca_mmap;
struct doca_dpa;

/* An mmap as code on a DPA names it. No call of OpenUROM gives one. */
typedef uint32_t doca_dpa_dev_mmap_t;

/*
 * doca_mmap_create() - no range, no device, no rights but local reading; not started.
 * mmap: owned, free with doca_mmap_destroy().
 * Errors: INVALID_VALUE: mmap NULL. NO_MEMORY: no memory.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_mmap_create(struct doca_mmap **mmap);

/*
 * doca_mmap_destroy() - stop it if need be and free it; then, if it was ever started, call free_cb.
 * Errors: INVALID_VALUE: mmap NULL. NOT_PERMITTED: buffers of it are out (never with thread safety
 * enabled).
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/*
 * doca_mmap_start() - fix the configuration and register the range with its devices.
 * No device at all: local use only. Also after a stop; an export then gets a new key.
 * Errors: INVALID_VALUE: mmap NULL, no range. NOT_PERMITTED: imported, or exported now. BAD_STATE:
 * started, not exported. NO_MEMORY: no memory. DRIVER: a device refused the range.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; BAD_STATE, DRIVER ours.
 */
DOCA_STABLE
doca_error_t doca_mmap_start(struct doca_mmap *mmap);

/*
 * doca_mmap_stop() - revoke exports and allow changes; not needed before destroy.
 * On return no peer touches the memory any more. Descriptors are void, the mmap is no longer
 * exported and may be started again. Imported or already stopped: SUCCESS.
 * Errors: INVALID_VALUE: mmap NULL. NOT_PERMITTED: buffers of it are out (never with thread safety
 * enabled).
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; exported and imported ours.
 */
DOCA_STABLE
doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/*
 * doca_mmap_add_dev() - a device that shall reach the range.
 * dev: borrowed, must outlive the mmap or its removal.
 * Errors: INVALID_VALUE: a NULL argument. NOT_PERMITTED: started or imported. ALREADY_EXIST: is in.
 * NO_MEMORY: the largest number of devices is reached. NOT_SUPPORTED: dev was made from a foreign
 * protection domain.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/*
 * doca_mmap_rm_dev() - undo doca_mmap_add_dev().
 * Errors: INVALID_VALUE: a NULL argument. NOT_PERMITTED: started or imported. NOT_FOUND: dev is not
 * in.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/*
 * The mmap over [addr, addr + len) is gone and the range may be freed; len in bytes, cookie as set.
 * Runs inside doca_mmap_destroy(). A function type: pass and keep it by pointer.
 */
typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *cookie);

/*
 * doca_mmap_export_pci() - not available: no device reaches another machine's memory over PCI.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_STABLE
doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
				  const void **export_desc, size_t *export_desc_len);

/*
 * doca_mmap_export_rdma() - describe the range to peers that reach it over dev.
 * mmap: started, not imported, with at least one DOCA_ACCESS_FLAG_RDMA_* bit. export_desc: lent,
 * export_desc_len bytes, valid until doca_mmap_stop() or doca_mmap_destroy(); the same content each
 * time for one device. Who knows it, and is connected, has the rights set.
 * Errors: INVALID_VALUE: a NULL argument. NOT_PERMITTED: not started, imported, or no RDMA bit.
 * NOT_FOUND: dev is not in. NO_MEMORY: no memory. NOT_SUPPORTED: dev cannot export. DRIVER: its
 * driver failed. OPERATING_SYSTEM: no random bytes for the key.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; OPERATING_SYSTEM ours.
 */
DOCA_STABLE
doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
				   const void **export_desc, size_t *export_desc_len);

/*
 * doca_mmap_dev_get_dpa_handle() - not available: there is no DPA.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
					  doca_dpa_dev_mmap_t *dpa_mmap_handle);

/*
 * doca_mmap_create_from_export() - stand for the range that a peer exported; buffers at once.
 * user_data: copied, may be NULL. export_desc: copied, export_desc_len bytes. dev: borrowed, must
 * outlive the mmap. mmap: owned, free with doca_mmap_destroy(). The target checks every access
 * again; buffers of it may be made by several threads.
 * Errors: INVALID_VALUE: another NULL argument, or a descriptor that is damaged or of another
 * version. NOT_SUPPORTED: a descriptor that dev cannot use (another kind of device, PCI).
 * NO_MEMORY: no memory.
 * Thread: any. Source: DOCA 3.0 Core API; sharing by threads ours.
 */
DOCA_STABLE
doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
					  size_t export_desc_len, struct doca_dev *dev,
					  struct doca_mmap **mmap);

/*
 * doca_mmap_set_memrange() - the memory, once in the object's life; any alignment, may overlap.
 * addr: borrowed, len bytes, must outlive the last stop (or destroy, when not stopped).
 * Errors: INVALID_VALUE: a NULL argument, len 0, or the range wraps around. BAD_STATE: started.
 * NOT_PERMITTED: set before, or imported.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);

/*
 * doca_mmap_set_dmabuf_memrange() - not available: only memory of the process can be the range.
 * Errors: INVALID_VALUE: mmap NULL. NOT_SUPPORTED: always.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
					   size_t dmabuf_offset, size_t len);

/*
 * doca_mmap_set_dpa_memrange() - not available: there is no DPA.
 * Errors: INVALID_VALUE: mmap or dpa NULL. NOT_SUPPORTED: always.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
					uint64_t dpa_addr, size_t len);

/*
 * doca_mmap_get_memrange() - the range; of an imported mmap as the exporter addresses it.
 * len: bytes.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: none was set.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len);

/*
 * doca_mmap_set_free_cb() - what destroy calls when the mmap was ever started; stop does not.
 * opaque: borrowed until then, may be NULL; handed over as cookie.
 * Errors: INVALID_VALUE: mmap or free_cb NULL. BAD_STATE: started. NOT_PERMITTED: imported.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NOT_PERMITTED ours.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
				   void *opaque);

/*
 * doca_mmap_get_user_data() - the value set last or given at import, 0 when there was none.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data);

/*
 * doca_mmap_get_max_num_devices() - how many devices it can hold.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices);

/*
 * doca_mmap_get_num_bufs() - buffers of it that are out; 0 with thread safety enabled.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs);

/*
 * doca_mmap_get_exported() - 1 from the first export until stop, else 0.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; end at stop ours.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported);

/*
 * doca_mmap_get_from_export() - 1 when made by doca_mmap_create_from_export(), else 0.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export);

/*
 * doca_mmap_set_max_num_devices() - how many devices it can hold; 32 at first.
 * Errors: INVALID_VALUE: mmap NULL, max_num_devices 0 or below the devices that are in.
 * NOT_PERMITTED: started once already, or imported.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; 32 ours.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices);

/*
 * doca_mmap_set_permissions() - what devices and peers may do; replaces what was set before.
 * access_mask: OR of doca_access_flag.
 * Errors: INVALID_VALUE: mmap NULL, unknown bits, both PCI access bits, or RDMA write or atomic
 * without LOCAL_READ_WRITE. BAD_STATE: started. NOT_PERMITTED: imported.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; LOCAL_READ_WRITE rule ours.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

/*
 * doca_mmap_set_user_data() - keep a value of the application's with the mmap.
 * user_data: copied.
 * Errors: INVALID_VALUE: mmap NULL. BAD_STATE: started. NOT_PERMITTED: imported.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NOT_PERMITTED ours.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data);

/*
 * doca_mmap_cap_is_export_pci_supported() - always 0.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any. Source: DOCA 3.0 Core API; the value ours.
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
						   uint8_t *mmap_export);

/*
 * doca_mmap_cap_is_create_from_export_pci_supported() - always 0.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any. Source: DOCA 3.0 Core API; the value ours.
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
							       uint8_t *from_export);

/*
 * doca_mmap_enable_thread_safety() - stop counting its buffers; not to be undone.
 * Then stop and destroy do not refuse because of them. Inventories of several threads may use any
 * mmap; without this call their buffers are counted.
 * Errors: INVALID_VALUE: mmap NULL. NOT_PERMITTED: started, imported, or buffers of it are out.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_H_ */
