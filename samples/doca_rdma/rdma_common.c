/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma_common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "common.h"

DOCA_LOG_REGISTER(SAMPLE::RDMA_COMMON);

#define MAX_DESCRIPTOR_BYTES  4096
#define NUM_BUFS              2

#define DEFAULT_LOCAL_PATH    "/tmp/local_connection_desc_path.txt"
#define DEFAULT_REMOTE_PATH   "/tmp/remote_connection_desc_path.txt"
#define DEFAULT_RESOURCE_PATH "/tmp/remote_resource_desc_path.txt"

/* --- arguments ------------------------------------------------------------------------------- */

static doca_error_t take_string(const char *value, char *to, size_t size)
{
	if (strlen(value) >= size) {
		DOCA_LOG_ERR("\"%s\" is longer than %zu bytes", value, size - 1);
		return DOCA_ERROR_INVALID_VALUE;
	}
	memcpy(to, value, strlen(value) + 1);
	return DOCA_SUCCESS;
}

static doca_error_t on_device(void *value, void *config)
{
	struct rdma_sample *sample = config;

	return take_string(value, sample->device, sizeof(sample->device));
}

static doca_error_t on_local_path(void *value, void *config)
{
	struct rdma_sample *sample = config;

	return take_string(value, sample->local_path, sizeof(sample->local_path));
}

static doca_error_t on_remote_path(void *value, void *config)
{
	struct rdma_sample *sample = config;

	return take_string(value, sample->remote_path, sizeof(sample->remote_path));
}

static doca_error_t on_resource_path(void *value, void *config)
{
	struct rdma_sample *sample = config;

	return take_string(value, sample->resource_path, sizeof(sample->resource_path));
}

static doca_error_t on_text(void *value, void *config)
{
	struct rdma_sample *sample = config;

	return take_string(value, sample->text, sizeof(sample->text));
}

static doca_error_t on_gid_index(void *value, void *config)
{
	struct rdma_sample *sample = config;

	sample->gid_index = *(const int *)value;
	if (sample->gid_index >= 0)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("a GID index is not negative");
	return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t on_transport(void *value, void *config)
{
	struct rdma_sample *sample = config;

	if (strcmp(value, "RC") == 0)
		sample->transport = DOCA_RDMA_TRANSPORT_TYPE_RC;
	else if (strcmp(value, "DC") == 0)
		sample->transport = DOCA_RDMA_TRANSPORT_TYPE_DC;
	else {
		DOCA_LOG_ERR("a transport type is RC or DC");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

struct argument {
	const char *short_name;
	const char *long_name;
	const char *description;
	doca_argp_param_cb_t callback;
	enum doca_argp_type type;
	bool is_mandatory;
};

static doca_error_t register_argument(const struct argument *argument)
{
	struct doca_argp_param *param;
	doca_error_t result = doca_argp_param_create(&param);

	if (result != DOCA_SUCCESS)
		return result;
	doca_argp_param_set_short_name(param, argument->short_name);
	doca_argp_param_set_long_name(param, argument->long_name);
	doca_argp_param_set_description(param, argument->description);
	doca_argp_param_set_callback(param, argument->callback);
	doca_argp_param_set_type(param, argument->type);
	if (argument->is_mandatory)
		doca_argp_param_set_mandatory(param);
	return doca_argp_register_param(param);
}

static doca_error_t register_arguments(const struct rdma_sample_spec *spec)
{
	static const struct argument common[] = {
		{ "d", "device", "Device name", on_device, DOCA_ARGP_TYPE_STRING, true },
		{ "g", "gid-index", "GID index", on_gid_index, DOCA_ARGP_TYPE_INT, false },
		{ "tt", "transport-type", "RC or DC; RC", on_transport, DOCA_ARGP_TYPE_STRING,
		  false },
		{ "ld", "local-descriptor-path", "File that this side writes", on_local_path,
		  DOCA_ARGP_TYPE_STRING, false },
		{ "re", "remote-descriptor-path", "File that the other side writes", on_remote_path,
		  DOCA_ARGP_TYPE_STRING, false },
		{ "m", "remote-resource-descriptor-path",
		  "File with the responder's memory; where there is none, not used",
		  on_resource_path, DOCA_ARGP_TYPE_STRING, false },
	};
	const struct argument text = { spec->text_flag, spec->text_name,       "Text to be moved",
				       on_text,         DOCA_ARGP_TYPE_STRING, false };
	doca_error_t result = DOCA_SUCCESS;

	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]) && result == DOCA_SUCCESS; i++)
		result = register_argument(&common[i]);
	if (result == DOCA_SUCCESS && spec->text_flag != NULL)
		result = register_argument(&text);
	return result;
}

static doca_error_t read_arguments(const struct rdma_sample_spec *spec, struct rdma_sample *sample,
				   int argc, char **argv)
{
	doca_error_t result;

	sample->gid_index = -1;
	sample->transport = DOCA_RDMA_TRANSPORT_TYPE_RC;
	memcpy(sample->local_path, DEFAULT_LOCAL_PATH, sizeof(DEFAULT_LOCAL_PATH));
	memcpy(sample->remote_path, DEFAULT_REMOTE_PATH, sizeof(DEFAULT_REMOTE_PATH));
	memcpy(sample->resource_path, DEFAULT_RESOURCE_PATH, sizeof(DEFAULT_RESOURCE_PATH));
	if (spec->first_text != NULL)
		(void)snprintf(sample->text, sizeof(sample->text), "%s", spec->first_text);
	result = doca_argp_init(spec->program, sample);
	if (result != DOCA_SUCCESS)
		return result;
	result = register_arguments(spec);
	if (result == DOCA_SUCCESS)
		result = doca_argp_start(argc, argv);
	(void)doca_argp_destroy(); /* what was read is in the sample */
	return result;
}

/* --- files ----------------------------------------------------------------------------------- */

/* Writes a new file; one that is there may be of another run, and so it is not overwritten. */
static doca_error_t write_descriptor(const char *path, const void *bytes, size_t len)
{
	FILE *file = fopen(path, "wx");
	bool is_written;

	if (file == NULL && errno == EEXIST) {
		DOCA_LOG_ERR("File %s already exists: delete it prior to running the sample", path);
		return DOCA_ERROR_ALREADY_EXIST;
	}
	if (file == NULL) {
		DOCA_LOG_ERR("Failed to open the file %s for writing: %s", path, strerror(errno));
		return DOCA_ERROR_IO_FAILED;
	}
	is_written = fwrite(bytes, 1, len, file) == len;
	if (fclose(file) == 0 && is_written)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("Failed to write the file %s", path);
	return DOCA_ERROR_IO_FAILED;
}

static doca_error_t read_descriptor(const char *path, uint8_t *bytes, size_t *len)
{
	FILE *file = fopen(path, "r");

	if (file == NULL) {
		DOCA_LOG_ERR("Failed to open the file %s for reading: %s", path, strerror(errno));
		return DOCA_ERROR_IO_FAILED;
	}
	*len = fread(bytes, 1, MAX_DESCRIPTOR_BYTES, file);
	(void)fclose(file);
	return DOCA_SUCCESS;
}

doca_error_t rdma_sample_wait_for_enter(const char *what_for)
{
	int next;

	DOCA_LOG_INFO("%s", what_for);
	do {
		next = getchar();
	} while (next != '\n' && next != EOF);
	if (next == '\n')
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("the input has ended, and nobody has pressed enter");
	return DOCA_ERROR_IO_FAILED;
}

size_t rdma_sample_put_text(struct rdma_sample *sample)
{
	size_t len = strlen(sample->text) + 1;

	memcpy(sample->memory, sample->text, len);
	return len;
}

/* --- the context ----------------------------------------------------------------------------- */

static doca_error_t make_memory(const struct rdma_sample_spec *spec, struct rdma_sample *sample)
{
	const uint32_t permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | spec->permissions;
	doca_error_t result;

	if (spec->role == RDMA_SAMPLE_RESPONDER)
		(void)rdma_sample_put_text(sample); /* what can be read */
	result = doca_mmap_create(&sample->mmap);
	if (result == DOCA_SUCCESS)
		result =
		    doca_mmap_set_memrange(sample->mmap, sample->memory, sizeof(sample->memory));
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(sample->mmap, permissions);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(sample->mmap, sample->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(sample->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_create(NUM_BUFS, &sample->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_start(sample->inventory);
	return sample_check("share memory with the device", result);
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
		     enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	static const char *const texts[] = {
		[DOCA_CTX_STATE_IDLE] = "RDMA context has been stopped",
		[DOCA_CTX_STATE_STARTING] = "RDMA context entered starting state",
		[DOCA_CTX_STATE_RUNNING] = "RDMA context is running",
		[DOCA_CTX_STATE_STOPPING] = ("RDMA context entered into stopping state. Any "
					     "inflight tasks will be flushed"),
	};

	(void)user_data;
	(void)ctx;
	(void)prev_state;
	DOCA_LOG_INFO("%s", texts[next_state]);
}

static doca_error_t start_context(const struct rdma_sample_spec *spec, struct rdma_sample *sample)
{
	const uint32_t permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | spec->permissions;
	doca_error_t result;

	result = doca_pe_create(&sample->pe);
	if (result == DOCA_SUCCESS)
		result = doca_rdma_create(sample->dev, &sample->rdma);
	if (result != DOCA_SUCCESS)
		return sample_check("create an engine and an RDMA context", result);
	sample->ctx = doca_rdma_as_ctx(sample->rdma);
	result = doca_ctx_set_user_data(sample->ctx, (union doca_data){ .ptr = sample });
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_state_changed_cb(sample->ctx, on_state);
	if (result == DOCA_SUCCESS)
		result = doca_rdma_set_permissions(sample->rdma, permissions);
	if (result == DOCA_SUCCESS)
		result = doca_rdma_set_transport_type(sample->rdma, sample->transport);
	if (result == DOCA_SUCCESS && sample->gid_index >= 0)
		result = doca_rdma_set_gid_index(sample->rdma, (uint32_t)sample->gid_index);
	if (result == DOCA_SUCCESS && spec->configure != NULL)
		result = spec->configure(sample);
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(sample->pe, sample->ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(sample->ctx);
	return sample_check("start the RDMA context", result);
}

/* --- the way to the other side --------------------------------------------------------------- */

static bool is_dc(const struct rdma_sample *sample)
{
	return sample->transport == DOCA_RDMA_TRANSPORT_TYPE_DC;
}

/* Does it wait for what the other side submits? */
static bool is_target(const struct rdma_sample_spec *spec)
{
	return spec->role == RDMA_SAMPLE_RECEIVER || spec->role == RDMA_SAMPLE_RESPONDER;
}

static doca_error_t write_own(const struct rdma_sample_spec *spec, struct rdma_sample *sample)
{
	const void *bytes;
	doca_error_t result;
	size_t len;

	result = sample_check("export the connection",
			      doca_rdma_export(sample->rdma, &bytes, &len, &sample->conn));
	if (result != DOCA_SUCCESS || (is_dc(sample) && !is_target(spec)))
		return result; /* an initiator's descriptor is for nobody */
	result = write_descriptor(sample->local_path, bytes, len);
	if (result != DOCA_SUCCESS)
		return result;
	sample->has_local_file = true;
	if (spec->role != RDMA_SAMPLE_RESPONDER)
		return DOCA_SUCCESS;
	result = sample_check("export the memory",
			      doca_mmap_export_rdma(sample->mmap, sample->dev, &bytes, &len));
	if (result == DOCA_SUCCESS)
		result = write_descriptor(sample->resource_path, bytes, len);
	sample->has_resource_file = result == DOCA_SUCCESS;
	return result;
}

static doca_error_t read_other(const struct rdma_sample_spec *spec, struct rdma_sample *sample)
{
	uint8_t bytes[MAX_DESCRIPTOR_BYTES];
	doca_error_t result;
	size_t len = 0;

	if (is_dc(sample) && is_target(spec))
		return DOCA_SUCCESS; /* the initiator connects, and has no memory to be reached */
	result = read_descriptor(sample->remote_path, bytes, &len);
	if (result == DOCA_SUCCESS)
		result = sample_check("connect",
				      doca_rdma_connect(sample->rdma, bytes, len, sample->conn));
	if (result != DOCA_SUCCESS || spec->role != RDMA_SAMPLE_REQUESTER)
		return result;
	result = read_descriptor(sample->resource_path, bytes, &len);
	if (result == DOCA_SUCCESS)
		result = sample_check("import the memory",
				      doca_mmap_create_from_export(NULL, bytes, len, sample->dev,
								   &sample->remote_mmap));
	return result;
}

doca_error_t rdma_sample_take_local(struct rdma_sample *sample, size_t len, size_t data_len)
{
	return sample_check("describe the memory by a buffer",
			    doca_buf_inventory_buf_get_by_args(sample->inventory, sample->mmap,
							       sample->memory, len, sample->memory,
							       data_len, &sample->local));
}

doca_error_t rdma_sample_take_remote(struct rdma_sample *sample, size_t data_len)
{
	doca_error_t result;
	void *base;
	size_t len;

	result = doca_mmap_get_memrange(sample->remote_mmap, &base, &len);
	if (result == DOCA_SUCCESS)
		result =
		    doca_buf_inventory_buf_get_by_args(sample->inventory, sample->remote_mmap, base,
						       len, base, data_len, &sample->remote);
	return sample_check("describe the other side's memory by a buffer", result);
}

void rdma_sample_end_task(struct rdma_sample *sample, struct doca_task *task)
{
	sample->status = doca_task_get_status(task);
	sample->is_done = true;
	doca_task_free(task);
}

doca_error_t rdma_sample_submit(struct doca_task *task)
{
	doca_error_t result = doca_task_submit(task);

	if (result != DOCA_SUCCESS)
		doca_task_free(task);
	return sample_check("submit the task", result);
}

/* --- all of it -------------------------------------------------------------------------------- */

static const char *what_to_wait_for(const struct rdma_sample_spec *spec,
				    const struct rdma_sample *sample)
{
	if (!is_dc(sample))
		return "Let the other side write its descriptor as well, and press enter";
	return is_target(spec) ? "The other side may connect now: press enter"
			       : "Let the other side write its descriptor, and press enter";
}

static doca_error_t connect_sides(const struct rdma_sample_spec *spec, struct rdma_sample *sample)
{
	doca_error_t result;

	result = make_memory(spec, sample);
	if (result == DOCA_SUCCESS)
		result = start_context(spec, sample);
	if (result == DOCA_SUCCESS)
		result = write_own(spec, sample);
	if (result == DOCA_SUCCESS)
		result = rdma_sample_wait_for_enter(what_to_wait_for(spec, sample));
	if (result == DOCA_SUCCESS)
		result = read_other(spec, sample);
	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("RDMA context finished initialization");
	return result;
}

static doca_error_t run(const struct rdma_sample_spec *spec, struct rdma_sample *sample)
{
	doca_error_t result;

	result = connect_sides(spec, sample);
	if (result == DOCA_SUCCESS)
		result = spec->act(sample);
	if (result != DOCA_SUCCESS || spec->finish == NULL)
		return result;
	result = sample_check("wait for the task", sample_wait(sample->pe, &sample->is_done));
	if (result == DOCA_SUCCESS)
		result = sample_check("end the task well", sample->status);
	return result == DOCA_SUCCESS ? spec->finish(sample) : result;
}

/*
 * Ends all that there is. What fails is logged by the library, and the rest is tried all the same.
 * Returns how the context has stopped.
 */
static doca_error_t end(struct rdma_sample *sample)
{
	doca_error_t result = DOCA_SUCCESS;

	if (sample->ctx != NULL)
		result = sample_stop(sample->pe, sample->ctx);
	if (sample->rdma != NULL)
		(void)doca_rdma_destroy(sample->rdma);
	if (sample->pe != NULL)
		(void)doca_pe_destroy(sample->pe);
	if (sample->local != NULL)
		(void)doca_buf_dec_refcount(sample->local, NULL);
	if (sample->remote != NULL)
		(void)doca_buf_dec_refcount(sample->remote, NULL);
	if (sample->inventory != NULL)
		(void)doca_buf_inventory_destroy(sample->inventory);
	if (sample->remote_mmap != NULL)
		(void)doca_mmap_destroy(sample->remote_mmap);
	if (sample->mmap != NULL)
		(void)doca_mmap_destroy(sample->mmap);
	if (sample->dev != NULL)
		(void)doca_dev_close(sample->dev);
	if (sample->has_local_file)
		(void)unlink(sample->local_path);
	if (sample->has_resource_file)
		(void)unlink(sample->resource_path);
	return result;
}

int rdma_sample_main(const struct rdma_sample_spec *spec, int argc, char **argv)
{
	static struct rdma_sample sample;
	doca_error_t result, ended;

	/* Lines of the program: INFO goes to standard output, warnings go to standard error. */
	if (doca_log_backend_create_standard() != DOCA_SUCCESS)
		return EXIT_FAILURE;
	DOCA_LOG_INFO("Starting the sample");
	result = read_arguments(spec, &sample, argc, argv);
	if (result == DOCA_SUCCESS)
		result = sample_open_device(sample.device, &sample.dev);
	if (result == DOCA_SUCCESS)
		result = run(spec, &sample);
	ended = end(&sample);
	if (result == DOCA_SUCCESS)
		result = ended;
	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("Sample finished successfully");
	else
		DOCA_LOG_ERR("Sample finished with errors: %s", doca_error_get_descr(result));
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
