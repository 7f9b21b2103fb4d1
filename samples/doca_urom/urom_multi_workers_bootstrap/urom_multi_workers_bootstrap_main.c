/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include <doca_argp.h>
#include <doca_error.h>
#include <doca_log.h>

#include "common.h"
#include "urom_multi_workers_bootstrap_sample.h"

DOCA_LOG_REGISTER(SAMPLE::MAIN);

static doca_error_t on_once(void *value, void *config)
{
	struct bootstrap_cfg *cfg = config;

	cfg->once = *(const bool *)value;
	return DOCA_SUCCESS;
}

static doca_error_t register_once(void)
{
	struct doca_argp_param *param;
	doca_error_t result;

	result = sample_check("make a parameter", doca_argp_param_create(&param));
	if (result != DOCA_SUCCESS)
		return result;
	doca_argp_param_set_long_name(param, "once");
	doca_argp_param_set_description(param, "End when all is shown, do not wait for Ctrl-C");
	doca_argp_param_set_callback(param, on_once);
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_BOOLEAN);
	return sample_check("register a parameter", doca_argp_register_param(param));
}

/* Ends the process itself for -h and the like. */
static doca_error_t read_arguments(int argc, char **argv, struct bootstrap_cfg *cfg)
{
	doca_error_t result;

	result = sample_check("prepare the arguments",
			      doca_argp_init("doca_urom_multi_workers_bootstrap", cfg));
	if (result != DOCA_SUCCESS)
		return result;
	result = urom_common_register_params();
	if (result == DOCA_SUCCESS)
		result = register_once();
	if (result == DOCA_SUCCESS)
		result = doca_argp_start(argc, argv); /* which says itself what is wrong */
	(void)doca_argp_destroy();
	return result;
}

int main(int argc, char **argv)
{
	struct bootstrap_cfg cfg = { .common.device_name = UROM_COMMON_DEFAULT_DEVICE };
	doca_error_t result;

	/* Lines of the program: INFO goes to standard output, warnings go to standard error. */
	if (doca_log_backend_create_standard() != DOCA_SUCCESS)
		return EXIT_FAILURE;
	if (read_arguments(argc, argv, &cfg) != DOCA_SUCCESS)
		return EXIT_FAILURE;
	result = bootstrap_run(&cfg);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("urom_multi_workers_bootstrap failed: %s",
			     doca_error_get_descr(result));
		return EXIT_FAILURE;
	}
	DOCA_LOG_INFO("urom_multi_workers_bootstrap ended well");
	return EXIT_SUCCESS;
}
