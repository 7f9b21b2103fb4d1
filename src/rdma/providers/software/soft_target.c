/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Targets of DC: connections that were exported and are not connected. Whoever has the descriptor
 * may dial one, and gets a responder of its own; so order, the wait for a receive and a failure are
 * that initiator's alone, and all of them share the receives of the context. A target has nothing
 * to send, so there is no lane the other way, and the end of an initiator ends nothing else.
 *
 * A connection that the application connects is an initiator's from then on, and serves nobody: its
 * own target has read its secret in the hello.
 */

#include "rdma/providers/software/soft.h"

#include "core/log.h"

CORE_LOG_REGISTER(RDMA::SOFT::TARGET);

bool soft_conn_is_target(const struct soft_conn *soft)
{
	return soft->conn->record.transport == DOCA_RDMA_TRANSPORT_TYPE_DC &&
	       soft->conn->state == DRDMA_CONN_EXPORTED;
}

const char *soft_target_refusal(const struct soft_conn *soft)
{
	const struct soft_port *port = soft->port;

	if (port->num_responders < port->options.max_initiators)
		return NULL;
	DOCA_LOG_WARN("connection %u: an initiator is refused, its context has its maximum of %u",
		      soft->conn->record.conn_id, port->options.max_initiators);
	return "there are too many";
}

/*
 * With RC the lane the other way notices what is looked for here. The system alone would take a
 * quarter of an hour over an answer that nobody acknowledges. And while a message waits, nothing is
 * read: that the initiator is gone stands behind what it has sent, but its system says so when it
 * is told something.
 */
bool soft_target_look(struct soft_responder *responder, uint64_t now_ns)
{
	struct soft_conn *soft = responder->conn;

	if (soft == NULL || !soft_conn_is_target(soft))
		return false;
	if (soft_socket_is_dead(responder->sock.fd)) {
		soft_responder_close(responder);
		soft_conn_lose_lane(soft, "its host is silent");
		return true;
	}
	soft_port_set_deadline(soft->port, now_ns + SOFT_LOOK_NS);
	if (responder->is_waiting)
		soft_respond_again(responder);
	return responder->sock.fd < 0;
}

void soft_target_end(struct soft_conn *soft)
{
	unsigned int count = 0;

	for (; !LIST_EMPTY(&soft->responders); count++)
		soft_responder_close(LIST_FIRST(&soft->responders));
	if (count > 0)
		DOCA_LOG_WARN("connection %u: it is connected itself, and %u initiators are let go",
			      soft->conn->record.conn_id, count);
}
