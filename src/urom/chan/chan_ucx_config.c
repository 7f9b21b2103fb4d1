/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/chan/chan_ucx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/log.h"

CORE_LOG_REGISTER(UROM::CHAN::UCX);

/*
 * UCX is told everything here and by ucp_config_modify(): its environment belongs to the
 * application, which may have contexts of its own.
 */

#define MAX_LIST  1024
#define KEEPALIVE "1s"

/* Names under which all transports over shared memory are meant, and those of single ones. */
static const char *const shared_memory[] = { "all", "sm", "shm", "mm" };
static const char *const kinds_of_it[] = { "posix", "sysv", "xpmem" };

/*
 * When nobody says what is to be used. A process that is killed between making a file of posix and
 * taking its name away leaves that file in /dev/shm for good. sysv is as fast, and the daemon can
 * tell which segments are left.
 */
#define USUAL_TRANSPORTS "^posix"

/* Is word one of the list's? */
static bool list_has(const char *list, const char *word, size_t len)
{
	for (const char *at = list; *at != '\0';) {
		size_t part = strcspn(at, ",");

		if (part == len && strncmp(at, word, len) == 0)
			return true;
		at += part + (at[part] == ',');
	}
	return false;
}

/* Adds a word to a list in an array of MAX_LIST bytes; one that does not fit is left out. */
static void list_add(char *list, const char *word, size_t len)
{
	size_t used = strlen(list);

	if (used + len + 2 <= MAX_LIST)
		(void)snprintf(list + used, MAX_LIST - used, "%s%.*s", used > 0 ? "," : "",
			       (int)len, word);
}

/* "eth0" is a network interface, "mlx5_0:1" a port of a verbs device. */
static bool device_is_here(const char *name, size_t len)
{
	size_t base = strcspn(name, ":,");
	char path[300];

	if (base > len)
		base = len;
	(void)snprintf(path, sizeof(path), "/sys/class/net/%.*s", (int)len, name);
	if (access(path, F_OK) == 0)
		return true;
	(void)snprintf(path, sizeof(path), "/sys/class/infiniband/%.*s", (int)base, name);
	return access(path, F_OK) == 0;
}

/* The devices of wanted that are here and, when the variable is set, in it. */
static void choose_devices(const char *wanted, const char *variable, char *chosen)
{
	chosen[0] = '\0';
	for (const char *at = wanted; *at != '\0';) {
		size_t len = strcspn(at, ",");

		if (!device_is_here(at, len))
			DOCA_LOG_WARN("device %.*s of the service is not on this machine", (int)len,
				      at);
		else if (variable == NULL || list_has(variable, at, len))
			list_add(chosen, at, len);
		at += len + (at[len] == ',');
	}
}

static ucs_status_t set_devices(ucp_config_t *ucx, const char *wanted)
{
	const char *variable = getenv("UCX_NET_DEVICES");
	char chosen[MAX_LIST];

	if (variable != NULL && (variable[0] == '\0' || strcmp(variable, "all") == 0))
		variable = NULL;
	if (wanted == NULL || wanted[0] == '\0' || strcmp(wanted, "all") == 0)
		return UCS_OK; /* the variable alone, which UCX has read already */
	choose_devices(wanted, variable, chosen);
	if (chosen[0] != '\0')
		return ucp_config_modify(ucx, "NET_DEVICES", chosen);
	DOCA_LOG_WARN("none of the devices %s can be used%s%s; UCX chooses", wanted,
		      variable != NULL ? " with UCX_NET_DEVICES=" : "",
		      variable != NULL ? variable : "");
	return UCS_OK;
}

/*
 * The transports, as UCX_TLS has them; nothing in chosen: as UCX has read them. Whatever the
 * application's variable says, TCP is among them: without it some hosts have no way at all.
 */
static void choose_transports(const char *wanted, char *chosen)
{
	const char *variable = wanted != NULL ? wanted : getenv("UCX_TLS");

	chosen[0] = '\0';
	if (variable == NULL)
		variable = USUAL_TRANSPORTS;
	if (list_has(variable, "all", 3))
		return;
	if (variable[0] != '^') {
		list_add(chosen, variable, strlen(variable));
		if (!list_has(variable, "tcp", 3))
			list_add(chosen, "tcp", 3);
		return;
	}
	for (const char *at = variable + 1; *at != '\0';) {
		size_t len = strcspn(at, ",");

		if (len != 3 || strncmp(at, "tcp", 3) != 0)
			list_add(chosen, at, len);
		at += len + (at[len] == ',');
	}
	/* Without TCP nothing is excluded. */
	if (chosen[0] == '\0') {
		list_add(chosen, "all", 3);
		return;
	}
	memmove(chosen + 1, chosen, strnlen(chosen, MAX_LIST - 2) + 1);
	chosen[0] = '^';
}

static bool has_any(const char *list, const char *const *names, size_t num_names)
{
	for (size_t i = 0; i < num_names; i++) {
		if (list_has(list, names[i], strlen(names[i])))
			return true;
	}
	return false;
}

/* xpmem is on few machines, so without the others there is nothing. */
static bool may_share_memory(const char *chosen)
{
	const bool is_exclusion = chosen[0] == '^';
	const char *list = chosen + is_exclusion;
	const bool has_all = has_any(list, shared_memory, CORE_ARRAY_LEN(shared_memory));

	if (chosen[0] == '\0')
		return true;
	if (is_exclusion)
		return !has_all && !(list_has(list, "posix", 5) && list_has(list, "sysv", 4));
	return has_all || has_any(list, kinds_of_it, CORE_ARRAY_LEN(kinds_of_it));
}

static ucs_status_t configure(ucp_config_t *ucx, const struct chan_config *config)
{
	char transports[MAX_LIST];
	ucs_status_t status;

	choose_transports(config->transports, transports);
	status = ucp_config_modify(ucx, "KEEPALIVE_INTERVAL", KEEPALIVE);
	if (status == UCS_OK && transports[0] != '\0')
		status = ucp_config_modify(ucx, "TLS", transports);
	/* Else it is not used when failures of the peer are to be told. */
	if (status == UCS_OK && may_share_memory(transports))
		status = ucp_config_modify(ucx, "MM_ERROR_HANDLING", "y");
	if (status == UCS_OK)
		status = set_devices(ucx, config->net_devices);
	/*
	 * UCX 1.13 would keep a TCP connection beside the shared memory for long messages, which is
	 * the slower way, and ask its socket at every turn.
	 */
	if (status == UCS_OK && config->is_local && may_share_memory(transports))
		status = ucp_config_modify(ucx, "MAX_RNDV_LANES", "0");
	return status;
}

doca_error_t chan_ucx_context_create(const struct chan_config *config, ucp_context_h *context)
{
	const ucp_params_t params = {
		.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME,
		.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP,
		.name = "urom",
	};
	ucp_config_t *ucx;
	ucs_status_t status = ucp_config_read(NULL, NULL, &ucx);

	if (status == UCS_OK) {
		status = configure(ucx, config);
		if (status == UCS_OK)
			status = ucp_init(&params, ucx, context);
		ucp_config_release(ucx);
	}
	if (status == UCS_OK)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("UCX does not start: %s", ucs_status_string(status));
	return DOCA_ERROR_DRIVER;
}
