/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plain types that several object families share. Nothing here has a life of its own.
 */
#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_

#include <linux/types.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a wait call of the system takes; on Linux a file descriptor. */
typedef int doca_event_handle_t;

/* The value that no open handle has. */
#define doca_event_invalid_handle -1 /* NOLINT(bugprone-macro-parentheses): the API has none */

/* Size of a GID, in bytes. */
#define DOCA_GID_BYTE_LENGTH 16

/* Readable when a progress engine has work; see doca_pe_get_notification_handle(). */
typedef doca_event_handle_t doca_notification_handle_t;

/* A value of the application's, carried but never looked at. */
union doca_data {
	void *ptr;
	uint64_t u64;
};

/* One piece of memory in a chain of pieces; the last has next NULL. */
struct doca_gather_list {
	void *addr;
	uint64_t len; /* bytes */
	struct doca_gather_list *next;
};

/*
 * Who may do what to memory, or through a context: bits to be joined by OR. The RDMA bits speak of
 * the peer. Remote writes and atomics need LOCAL_READ_WRITE; the two PCI access bits exclude each
 * other.
 */
enum doca_access_flag {
	DOCA_ACCESS_FLAG_LOCAL_READ_ONLY = 0, /* no bit: reading needs none */
	DOCA_ACCESS_FLAG_LOCAL_READ_WRITE = 1,
	DOCA_ACCESS_FLAG_RDMA_READ = 2,
	DOCA_ACCESS_FLAG_RDMA_WRITE = 4,
	DOCA_ACCESS_FLAG_RDMA_ATOMIC = 8,
	DOCA_ACCESS_FLAG_PCI_READ_ONLY = 16,
	DOCA_ACCESS_FLAG_PCI_READ_WRITE = 32,
	DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING = 64,
};

/* Physical, virtual and scalable function of a PCI device. */
enum doca_pci_func_type {
	DOCA_PCI_FUNC_TYPE_PF = 0,
	DOCA_PCI_FUNC_TYPE_VF = 1,
	DOCA_PCI_FUNC_TYPE_SF = 2,
};

/* Integers whose bytes stand in network order. */
typedef __be16 doca_be16_t;
typedef __be32 doca_be32_t;
typedef __be64 doca_be64_t;

/* Where memory lies and, after it, who else reaches it. No call of OpenUROM takes one. */
enum doca_gpu_mem_type {
	DOCA_GPU_MEM_TYPE_GPU = 0,
	DOCA_GPU_MEM_TYPE_GPU_CPU = 1,
	DOCA_GPU_MEM_TYPE_CPU_GPU = 2,
};

/* How a sender waits for a point in time. No call of OpenUROM takes one. */
enum doca_eth_wait_on_time_type {
	DOCA_ETH_WAIT_ON_TIME_TYPE_NONE = 0,
	DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE = 1,
	DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK = 2,
};

/* Largest payload of one packet on the path. */
enum doca_mtu_size {
	DOCA_MTU_SIZE_256_BYTES = 0,
	DOCA_MTU_SIZE_512_BYTES = 1,
	DOCA_MTU_SIZE_1K_BYTES = 2,
	DOCA_MTU_SIZE_2K_BYTES = 3,
	DOCA_MTU_SIZE_4K_BYTES = 4,
	DOCA_MTU_SIZE_RAW_ETHERNET = 5, /* reserved: every setter refuses it */
};

#ifdef __cplusplus
}
#endif

#endif /* DOCA_TYPES_H_ */
