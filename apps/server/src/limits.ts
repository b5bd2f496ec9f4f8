/** Bounds that are no settings. docs/security.md lists each with its test. */

/** A page of a list ends with the element that brings it to this size, whatever its limit. */
export const MAX_PAGE_BYTES = 2 ** 20;

/** Writes that wait for the store; more are answered 503 and not started. */
export const MAX_PENDING_WRITES = 10_000;

/** Requests with the same idempotency key that are worked on at once; more are answered 409. */
export const MAX_REQUESTS_PER_KEY = 4;

/** The part of each request body that is not counted against the bound of all bodies, so that large ones cannot crowd out small ones. */
export const UNCOUNTED_BODY_BYTES = 4096;

/** How many pieces of a body may be this small: each costs as much as hundreds of bytes, and a chunk may have one byte. */
export const MAX_TINY_CHUNKS = 1_000;
export const TINY_CHUNK_BYTES = 128;

/** How much of a body is still read when its request has been answered; beyond it the connection is closed. */
export const MAX_DISCARDED_BYTES = 2 ** 20;

/** How deep a JSON body may nest, and how many members one of its objects may have: each costs far more than a byte. */
export const MAX_JSON_DEPTH = 64;
export const MAX_JSON_MEMBERS = 1_000;

/** In requests with so many values, so deep in each other, every error is looked for; in others the first one, because each costs. */
export const MAX_EXPLAINED_VALUES = 1_000;
export const MAX_EXPLAINED_DEPTH = 4;

/** How many values a form may have, and how long the head of one of its parts may be. */
export const MAX_FORM_VALUES = 1_000;
export const MAX_PART_HEAD_BYTES = 8_192;

/** How many entity tags a condition may name: each costs a look into the store. */
export const MAX_CONDITION_TAGS = 16;

/** Pipelined requests that wait on all connections together, beyond the few that each connection may always have. */
export const MAX_WAITING_REQUESTS = 10_000;
export const MAX_WAITING_PER_CONNECTION = 16;

/** How long a closing connection still discards what the client sends, so that a reset does not destroy the last response. */
export const LINGER_MS = 2_000;

/** How long an idle connection is left open while the server drains: a request may be on its way. */
export const DRAIN_SWEEP_MS = 250;

/** The same while a worker is replaced: there is no hurry, and a client that has paused loses no request. */
export const REPLACEMENT_SWEEP_MS = 5_000;

/** How long the store has to close, when the requests have used up the time to stop. */
export const MIN_STORE_CLOSE_MS = 1_000;

/** How long after the start the metrics of the process begin. */
export const METRICS_OPEN_MS = 1_000;

/** How many targets are remembered whose parameters were right, and how long their text may be. */
export const MAX_TARGETS = 4_096;
export const MAX_TARGET_LENGTH = 256;

/** The bytes of all responses that are ready to be sent again, and of one of them. */
export const MAX_READY_BYTES = 2 ** 24;
export const MAX_READY_RESPONSE_BYTES = 2 ** 16;

/** How long the metrics text is served again. */
export const METRICS_CACHE_MS = 1_000;

/** Log lines that wait for a slow or broken stdout; more are dropped and counted. */
export const MAX_LOG_BUFFER_BYTES = 2 ** 20;

/** Lines are written together: at the latest after this time, or as soon as there are this many characters. */
export const LOG_FLUSH_MS = 20;
export const LOG_FLUSH_BYTES = 2 ** 16;

/** How long a failed write of the log waits until it is tried again, and how long an exit waits for the last lines. */
export const LOG_RETRY_MS = 250;
export const LOG_EXIT_MS = 500;

/** How long a worker that died is not replaced; twice as long after each further death, until one has lived for a while. */
export const WORKER_RESTART_MS = { first: 100, max: 10_000, lived: 30_000 };

/** How long a worker that was stopped still has, beyond the time to stop, before it is killed. */
export const WORKER_EXIT_MS = 2_000;

/** How long a worker has to send its metrics; those it sent before are used where it takes longer. */
export const WORKER_METRICS_MS = 5_000;

/** How often workers tell each other what they took from the rate limits. */
export const QUOTA_EXCHANGE_MS = 100;
