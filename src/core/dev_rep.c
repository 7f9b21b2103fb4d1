/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Representors: ports of a card that stand for functions of another host. No device here exposes
 * any, so none can be listed and no representor object ever exists.
 */

#include "core/dev.h"
#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(CORE::DEV_REP);

static doca_error_t rep_refuse(const char *func, const void *object, void *output)
{
	if (object == NULL || output == NULL)
		return core_null_argument(func);
	DOCA_LOG_ERR("%s: no device exposes representors", func);
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
					  struct doca_devinfo_rep ***dev_list_rep,
					  uint32_t *nb_devs_rep)
{
	(void)filter;
	if (dev_list_rep == NULL)
		return core_null_argument(__func__);
	return rep_refuse(__func__, dev, nb_devs_rep);
}

doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep)
{
	return rep_refuse(__func__, dev_list_rep, dev_list_rep);
}

doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep)
{
	return rep_refuse(__func__, devinfo, dev_rep);
}

doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev)
{
	return rep_refuse(__func__, dev, dev);
}

struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep)
{
	(void)rep_refuse(__func__, dev_rep, dev_rep); /* there is no way to return it */
	return NULL;
}

doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
				       uint32_t size)
{
	(void)size;
	return rep_refuse(__func__, devinfo_rep, rep_vuid);
}

doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
					       char *pci_addr_str)
{
	return rep_refuse(__func__, devinfo_rep, pci_addr_str);
}

doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
						enum doca_pci_func_type *pci_func_type)
{
	return rep_refuse(__func__, devinfo_rep, pci_func_type);
}

doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
					     uint8_t *is_hotplug)
{
	return rep_refuse(__func__, devinfo_rep, is_hotplug);
}

doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
					     char *iface_name, uint32_t size)
{
	(void)size;
	return rep_refuse(__func__, devinfo_rep, iface_name);
}

doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
					  uint16_t *vhca_id)
{
	return rep_refuse(__func__, devinfo_rep, vhca_id);
}

doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
						const char *pci_addr_str, uint8_t *is_equal)
{
	if (pci_addr_str == NULL)
		return core_null_argument(__func__);
	return rep_refuse(__func__, devinfo_rep, is_equal);
}
