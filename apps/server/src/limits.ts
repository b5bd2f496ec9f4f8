/** Bounds and times. docs/security.md lists the bounds with their tests. */

/** Defaults of settings, which are also defaults of this package's functions. Times are in milliseconds. */
export const DEFAULTS = {
  bodyLimit: 2 ** 20,
  bodyMemory: 2 ** 26,
  responseMemory: 2 ** 26,
  responseTimeout: 30_000,
  keepAliveTimeout: 65_000,
  databasePool: 10,
  databaseConnectTimeout: 3_000,
  databaseStatementTimeout: 5_000,
};

/** A page of a list that reaches this size ends, even below its limit of elements. */
export const MAX_PAGE_BYTES = 2 ** 20;

/** The write requests in progress; a further write gets 503. A store also limits its own queue (group-commit.ts). */
export const MAX_PENDING_WRITES = 10_000;

/** The concurrent requests with one idempotency key; a further request gets 409. */
export const MAX_REQUESTS_PER_KEY = 4;

/**
 * This many bytes of each request body do not count towards `bodyMemory`, so large bodies cannot crowd out small ones.
 */
export const UNCOUNTED_BODY_BYTES = 4096;

/** The number of tiny chunks in a body. A chunk may have one byte, but costs as much as hundreds of bytes. */
export const MAX_TINY_CHUNKS = 1_000;
export const TINY_CHUNK_BYTES = 128;

/** The length up to which a body is still read after the response; else the connection is closed. */
export const MAX_DISCARDED_BYTES = 2 ** 20;

/** The depth of a JSON body, and the members of each of its objects. A level or a member costs far more than a byte. */
export const MAX_JSON_DEPTH = 64;
export const MAX_JSON_MEMBERS = 1_000;

/** The bytes that `--body-memory` counts for each list or object of JSON, and for each comma, in addition to the text. */
export const JSON_CONTAINER_BYTES = 64;
export const JSON_VALUE_BYTES = 16;

/**
 * Requests with at most this many values, at most this deep, get every validation error; other requests get only the first
 * error of the parameters and of the body.
 */
export const MAX_EXPLAINED_VALUES = 1_000;
export const MAX_EXPLAINED_DEPTH = 4;

/** The values of a form. */
export const MAX_FORM_VALUES = 1_000;

/** The entity tags in an `If-Match` header. Each may cost an attempt to write. */
export const MAX_CONDITION_TAGS = 16;

/** The waiting pipelined requests of all connections. Beyond this number, each connection may still have a few. */
export const MAX_WAITING_REQUESTS = 10_000;
export const MAX_WAITING_PER_CONNECTION = 16;

/** How long a closing connection discards input, so that no reset destroys the last response. */
export const LINGER_MS = 2_000;

/** How often connections beyond the keep-alive time-out are closed. */
export const IDLE_SWEEP_MS = 1_000;

/** How long an idle connection stays open after its announced time-out, because a request may be on its way. */
export const KEEP_ALIVE_GRACE_MS = 1_000;

/** How often a draining server closes idle connections. Not at once, because a request may be on its way. */
export const DRAIN_SWEEP_MS = 250;

/** The least time that the store gets to close, even if requests have used up the time to stop. */
export const MIN_STORE_CLOSE_MS = 1_000;

/** The delay after the start before the metrics library and Express are loaded. */
export const LATE_LOAD_MS = 1_000;

/** The number of valid request targets that are cached, and the length of each. */
export const MAX_CACHED_TARGETS = 4_096;
export const MAX_TARGET_LENGTH = 256;

/** The bytes of all cached responses together, and of each. */
export const MAX_CACHED_BYTES = 2 ** 24;
export const MAX_CACHED_RESPONSE_BYTES = 2 ** 16;

/** How long the text of the metrics is cached. */
export const METRICS_CACHE_MS = 1_000;

/** The bytes of log lines that wait for a slow or broken stdout; further lines are dropped and counted. */
export const MAX_LOG_BUFFER_BYTES = 2 ** 20;

/** Log lines are written together, after this time or at this many bytes. */
export const LOG_FLUSH_MS = 20;
export const LOG_FLUSH_BYTES = 2 ** 16;

/** The time before a failed write of the log is repeated, and the time that an exit waits for the last lines. */
export const LOG_RETRY_MS = 250;
export const LOG_EXIT_MS = 500;
