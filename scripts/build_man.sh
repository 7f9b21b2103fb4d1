#!/usr/bin/env bash
# Makes a man page, on standard output, of a page as scdoc reads it, on standard input.
# scdoc forbids hyphens, but before the title, which allows them again: forbidden behind it, names
# such as doca_devinfo_get_vhca_id stay whole and can be searched for and copied.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

scdoc | sed '/^\.TH /a .nh'
