/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/process/process.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/export.h"

#define USUAL_MASK 0022

void uromd_process_reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		(void)signal(number, SIG_DFL); /* fails for a few that cannot be changed */
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL); /* cannot fail */
}

bool uromd_process_tie(pid_t parent, int signal_number)
{
	if (prctl(PR_SET_PDEATHSIG, signal_number) != 0)
		return false;
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	return true;
}

bool uromd_process_forgo_privileges(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

static bool set_groups(const struct uromd_account *account)
{
	return setgroups((size_t)account->num_groups, account->groups) == 0;
}

static bool set_group(const struct uromd_account *account)
{
	return setresgid(account->gid, account->gid, account->gid) == 0;
}

/* The kernel does so when the user changes, unless the machine is set up otherwise. */
static bool hide_memory(const struct uromd_account *account)
{
	(void)account;
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

static bool set_user(const struct uromd_account *account)
{
	return setresuid(account->uid, account->uid, account->uid) == 0;
}

/* Those that a program could inherit, too, which root's way to another user leaves. */
static bool drop_capabilities(const struct uromd_account *account)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { .effective = 0 } };

	(void)account;
	return syscall(SYS_capset, &header, none) == 0;
}

/* The rest of the process must not depend on every kernel and sandbox having kept its word. */
static bool has_become(const struct uromd_account *account)
{
	uid_t uid, euid, suid;
	gid_t gid, egid, sgid;

	if (getresuid(&uid, &euid, &suid) != 0 || getresgid(&gid, &egid, &sgid) != 0)
		return false;
	errno = EPERM;
	return uid == account->uid && euid == account->uid && suid == account->uid &&
	       gid == account->gid && egid == account->gid && sgid == account->gid &&
	       getgroups(0, NULL) == account->num_groups && setresuid(0, 0, 0) != 0;
}

static bool set_surroundings(const struct uromd_account *account)
{
	(void)account;
	(void)umask(USUAL_MASK);
	return chdir("/") == 0;
}

static const struct {
	const char *name;
	bool (*take)(const struct uromd_account *account);
} steps[] = {
	{ "its groups", set_groups },
	{ "its group", set_group },
	{ "the privacy of its memory", hide_memory },
	{ "its user", set_user },
	{ "its capabilities", drop_capabilities },
	{ "the change of its user", has_become },
	{ "its directory", set_surroundings },
};

bool uromd_process_become(const struct uromd_account *account, const char **what)
{
	for (size_t i = 0; i < CORE_ARRAY_LEN(steps); i++) {
		if (!steps[i].take(account)) {
			*what = steps[i].name;
			return false;
		}
	}
	return true;
}
