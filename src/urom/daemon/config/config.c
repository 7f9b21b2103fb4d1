/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/config/config.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/env.h"
#include "core/export.h"
#include "urom/chan/chan_address.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/config/cpus.h"
#include "urom/daemon/config/worker_user.h"

#define DEFAULT_ADDRESS "127.0.0.1"
#define DEFAULT_CHANNEL "ucx"
#define DEFAULT_AUTH    "cookie"

static const char *const channels[] = { "ucx", "tcp" };

/* Where the worker's program is, seen from the daemon's: as installed, and as built. */
static const char *const worker_places[] = { "doca_urom_worker", "../worker/doca_urom_worker" };

static doca_error_t no_memory(struct uromd_failure *failure)
{
	return uromd_fail(failure, DOCA_ERROR_NO_MEMORY, "no memory");
}

/* Gives what was not given a value of its own. */
static doca_error_t set_default(char **given, const char *value, struct uromd_failure *failure)
{
	if (*given != NULL || value == NULL)
		return DOCA_SUCCESS;
	*given = strdup(value);
	return *given != NULL ? DOCA_SUCCESS : no_memory(failure);
}

/* --- Where to listen --- */

static doca_error_t get_default_port(uint16_t *port, struct uromd_failure *failure)
{
	const char *text = core_env("DOCA_UROM_PORT");
	unsigned long value;
	char *end;

	*port = CHAN_DEFAULT_PORT;
	if (text == NULL)
		return DOCA_SUCCESS;
	value = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0' || value > UINT16_MAX)
		return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
				  "DOCA_UROM_PORT: %s is no port from 0 to %d", text, UINT16_MAX);
	*port = (uint16_t)value;
	return DOCA_SUCCESS;
}

static doca_error_t resolve(const char *host, uint16_t port, struct sockaddr_storage *address,
			    struct uromd_failure *failure)
{
	const struct addrinfo hints = { .ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	char service[8];
	int status;

	(void)snprintf(service, sizeof(service), "%u", port);
	status = getaddrinfo(host, service, &hints, &found);
	if (status != 0)
		return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE, "--listen: %s: %s", host,
				  gai_strerror(status));
	memcpy(address, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return DOCA_SUCCESS;
}

static doca_error_t settle_address(struct uromd_config *config, struct uromd_failure *failure)
{
	const char *text = config->listen != NULL ? config->listen : DEFAULT_ADDRESS;
	char host[NI_MAXHOST];
	doca_error_t result;
	uint16_t port;

	result = get_default_port(&port, failure);
	if (result != DOCA_SUCCESS)
		return result;
	if (chan_address_split(text, host, sizeof(host), &port) != DOCA_SUCCESS)
		return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
				  "--listen: %s is no ADDR, ADDR:PORT or [ADDR]:PORT", text);
	return resolve(host, port, &config->address, failure);
}

/* --- Everything else --- */

static doca_error_t settle_numbers(struct uromd_config *config, struct uromd_failure *failure)
{
	if (config->plugin_timeout_s == INT_MIN)
		config->plugin_timeout_s = UROMD_DEFAULT_PLUGIN_TIMEOUT_S;
	if (config->plugin_timeout_s < 0 || config->plugin_timeout_s > UROMD_MAX_PLUGIN_TIMEOUT_S)
		return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
				  "--plugin-timeout: %d is not from 0 to %d",
				  config->plugin_timeout_s, UROMD_MAX_PLUGIN_TIMEOUT_S);
	return DOCA_SUCCESS;
}

static doca_error_t settle_limits(struct uromd_config *config, struct uromd_failure *failure)
{
	doca_error_t result = DOCA_SUCCESS;

	for (unsigned int id = 0; id < UROMD_NUM_LIMITS && result == DOCA_SUCCESS; id++) {
		config->limits.of[id] = uromd_limits[id].usual;
		if (config->limit_texts[id] != NULL)
			result = uromd_limit_parse(id, config->limit_texts[id],
						   &config->limits.of[id], failure);
	}
	return result;
}

static doca_error_t settle_grace(struct uromd_config *config, struct uromd_failure *failure)
{
	if (config->grace_s == INT_MIN)
		config->grace_s = UROMD_DEFAULT_GRACE_S;
	if (config->grace_s >= 0 && config->grace_s <= UROMD_MAX_GRACE_S)
		return DOCA_SUCCESS;
	return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE, "--grace: %d is not from 0 to %d",
			  config->grace_s, UROMD_MAX_GRACE_S);
}

static doca_error_t settle_channel(struct uromd_config *config, struct uromd_failure *failure)
{
	doca_error_t result = set_default(&config->channel, DEFAULT_CHANNEL, failure);

	if (result != DOCA_SUCCESS)
		return result;
	for (size_t i = 0; i < CORE_ARRAY_LEN(channels); i++) {
		if (strcmp(config->channel, channels[i]) == 0)
			return DOCA_SUCCESS;
	}
	return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE, "--channel: %s is neither ucx nor tcp",
			  config->channel);
}

/* Whoever cannot be asked who he is must be on this machine, or the operator says otherwise. */
static doca_error_t settle_auth(struct uromd_config *config, struct uromd_failure *failure)
{
	doca_error_t result = set_default(&config->auth_name, DEFAULT_AUTH, failure);

	if (result == DOCA_SUCCESS)
		result = uromd_auth_find(config->auth_name, &config->auth, failure);
	if (result != DOCA_SUCCESS)
		return result;
	if (config->auth->settle != NULL)
		return config->auth->settle(config, failure);
	if (config->auth->check != NULL || config->is_insecure ||
	    chan_address_is_loopback((const struct sockaddr *)&config->address))
		return DOCA_SUCCESS;
	return uromd_fail(failure, DOCA_ERROR_NOT_PERMITTED,
			  "--listen %s: anybody who reaches this address could start processes "
			  "here, as --auth none authenticates nobody; --insecure allows it all "
			  "the same",
			  config->listen);
}

static doca_error_t settle_allowed(struct uromd_config *config, struct uromd_failure *failure)
{
	doca_error_t result = DOCA_SUCCESS;

	if (config->allow_users_text != NULL && config->auth->number != WIRE_AUTH_MUNGE)
		return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
				  "--allow-users takes --auth munge: with %s no host shows who its "
				  "user is",
				  config->auth->name);
	if (config->allow_hosts_text != NULL)
		result = uromd_allow_hosts_parse(config->allow_hosts_text, &config->allow_hosts,
						 failure);
	if (result == DOCA_SUCCESS && config->allow_users_text != NULL)
		result = uromd_allow_users_parse(config->allow_users_text, &config->allow_users,
						 failure);
	return result;
}

static doca_error_t settle_cpuset(struct uromd_config *config, struct uromd_failure *failure)
{
	uint8_t set[WIRE_CPUSET_SIZE];
	doca_error_t result = set_default(&config->cpuset, core_env("UROM_CPUSET"), failure);

	if (result != DOCA_SUCCESS || config->cpuset == NULL)
		return result;
	if (uromd_cpus_parse(config->cpuset, set) == DOCA_SUCCESS)
		return DOCA_SUCCESS;
	return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
			  "--cpuset: %s is no list of processors from 0 to %d, such as 0-7,16",
			  config->cpuset, UROMD_NUM_CPUS - 1);
}

/* The first of the places with a program in it; owned: free(). NULL: none, or no memory. */
static char *find_worker(void)
{
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (len <= 0)
		return NULL;
	self[len] = '\0';
	slash = strrchr(self, '/');
	if (slash == NULL)
		return NULL;
	*slash = '\0';
	for (size_t i = 0; i < CORE_ARRAY_LEN(worker_places); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", self, worker_places[i]);
		if (access(path, X_OK) == 0)
			return realpath(path, NULL);
	}
	return NULL;
}

static doca_error_t settle_worker(struct uromd_config *config, struct uromd_failure *failure)
{
	if (config->worker == NULL)
		config->worker = find_worker();
	if (config->worker == NULL)
		return uromd_fail(failure, DOCA_ERROR_NOT_FOUND,
				  "the program doca_urom_worker is not beside this one");
	if (access(config->worker, X_OK) == 0)
		return DOCA_SUCCESS;
	return uromd_fail(failure, DOCA_ERROR_NOT_FOUND, "--worker: %s: %s", config->worker,
			  strerror(errno));
}

static doca_error_t (*const steps[])(struct uromd_config *, struct uromd_failure *) = {
	settle_address, settle_numbers, settle_limits, settle_grace,  settle_channel,
	settle_auth,    settle_allowed, settle_cpuset, settle_worker, uromd_worker_user_settle,
};

doca_error_t uromd_config_settle(struct uromd_config *config, struct uromd_failure *failure)
{
	doca_error_t result = DOCA_SUCCESS;

	for (size_t i = 0; i < CORE_ARRAY_LEN(steps) && result == DOCA_SUCCESS; i++)
		result = steps[i](config, failure);
	return result;
}

void uromd_config_fini(struct uromd_config *config)
{
	free(config->listen);
	free(config->cpuset);
	free(config->log_dir);
	free(config->port_file);
	free(config->worker);
	free(config->channel);
	free(config->auth_name);
	free(config->worker_user);
	uromd_account_fini(&config->worker_account);
	for (size_t i = 0; i < UROMD_NUM_LIMITS; i++)
		free(config->limit_texts[i]);
	free(config->cookie_file);
	free(config->make_cookie);
	free(config->munge_socket);
	free(config->allow_hosts_text);
	free(config->allow_users_text);
	uromd_allow_hosts_fini(&config->allow_hosts);
	uromd_allow_users_fini(&config->allow_users);
	auth_cookie_wipe(&config->cookie);
	*config = (struct uromd_config){ 0 };
}
