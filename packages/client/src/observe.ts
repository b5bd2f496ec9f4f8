import type { Encoder } from './build-request.ts';
import type { Connection, DeprecationNotice, HttpRequest, HttpResponse, Observer, Transport } from './connection.ts';
import type { OperationId } from './old.ts';
import { LOOP_LEFT } from './pages.ts';
import { apiKeyNames } from './schemes.ts';

/** A request as callbacks get it: `***` replaces credentials. */
export type ShownRequest = Pick<HttpRequest, 'operation' | 'method' | 'url' | 'headers'>;

/** Callbacks that observe calls. Callbacks cannot change a call. An error in a callback is logged with `console.error`. */
export interface Hooks extends Observer {
  /** Before each request, also after a redirect; `attempt` counts from 0. */
  request?(request: ShownRequest, attempt: number): void;
  /** After each response. */
  response?(response: Pick<HttpResponse, 'status' | 'headers'>, request: ShownRequest): void;
}

/** How much is logged: `warn` deprecations, `info` also retries and failures, `debug` also requests and responses. */
export type LogLevel = 'off' | 'warn' | 'info' | 'debug';

/** The destination of log lines, for example `console`. */
export type Logger = { readonly [Level in Exclude<LogLevel, 'off'>]: (line: string) => void };

/** The callbacks and the log of calls. */
export interface ObserveOptions {
  /** Callbacks that observe calls. */
  on?: Hooks;
  /** How much is logged; `warn` by default. */
  logLevel?: LogLevel;
  /** The destination of log lines; `console` by default. */
  logger?: Logger;
}

/** Adds callbacks and a log to a connection. */
export function observe(
  connection: Connection,
  { on = {}, logLevel = 'warn', logger = console }: ObserveOptions,
): Connection {
  const levels: LogLevel[] = ['off', 'warn', 'info', 'debug'];
  const log = (level: Exclude<LogLevel, 'off'>, line: () => string) => {
    if (levels.indexOf(logLevel) >= levels.indexOf(level)) logger[level](`@petstore/client: ${line()}`);
  };
  const notify = on.deprecated ?? connection.on.deprecated ?? (({ message }) => log('warn', () => message));
  const onDeprecated = notify && ((notice: DeprecationNotice) => guarded(() => notify.call(on, notice)));
  const transport: Transport = async (request) => {
    const shown = redacted(request);
    const { method, url, headers } = shown;
    guarded(() => {
      log('debug', () => `${method} ${url} ${JSON.stringify(headers)}`);
      return on.request?.(shown, request.attempt);
    });
    const response = await connection.transport(request);
    // The service may deprecate an operation although this version of the spec does not.
    if (request.operation && response.headers.get('deprecation'))
      report(onDeprecated, request.operation, response.headers.get('sunset') ?? undefined);
    guarded(() => {
      log('debug', () => `${response.status} for ${method} ${url}`);
      return on.response?.({ status: response.status, headers: response.headers }, shown);
    });
    return response;
  };
  return {
    ...connection,
    transport,
    on: {
      retry: (reason, attempt, milliseconds) => {
        connection.on.retry?.(reason, attempt, milliseconds);
        guarded(() => {
          log('info', () => `${reason.message}; tries again in ${Math.round(milliseconds)} ms`);
          return on.retry?.(reason, attempt, milliseconds);
        });
      },
      error: (error) => {
        if (Object(error).cause === LOOP_LEFT) return;
        connection.on.error?.(error);
        guarded(() => {
          log('info', () => String(error));
          return on.error?.(error);
        });
      },
      deprecated: onDeprecated,
    },
  };
}

/** Merges callbacks, which may be methods of a class, into one object. The later of two callbacks replaces the earlier. */
export function mergeHooks(...sources: (Hooks | undefined)[]): Hooks {
  const hooks: Record<string, unknown> = {};
  for (const source of sources) {
    for (const name of ['request', 'response', 'retry', 'error', 'deprecated'] as const) {
      const hook = source?.[name];
      if (hook !== undefined) hooks[name] = hook ? hook.bind(source) : hook;
    }
  }
  return hooks;
}

const reported = /* @__PURE__ */ new Set<string>();

/** Reports that an operation is deprecated in the spec. */
export const deprecated =
  (operation: OperationId, sunset?: string): Encoder =>
  (_draft, inputs, _options, connection) => {
    report(connection?.on.deprecated, operation, sunset);
    return inputs;
  };

/** Reports a deprecated operation, once per process. */
function report(
  callback: Observer['deprecated'] = ({ message }) => console.warn(`@petstore/client: ${message}`),
  operation: OperationId,
  sunset: string | undefined,
): void {
  if (!callback || reported.has(operation)) return;
  reported.add(operation);
  const message = `${operation} is deprecated${sunset ? `, will be removed on ${sunset}` : ''}`;
  callback({ operation, sunset, message });
}

/** Runs a callback. Logs the error if the callback throws or rejects. */
function guarded(run: () => unknown): void {
  (async () => run())().catch(console.error);
}

/** Whether a header or a query parameter looks like a credential. */
const isSecret = (name: string) =>
  /auth|cookie|key|secret|token|password/i.test(name) || apiKeyNames.includes(name.toLowerCase());

/** A copy of a request in which `***` replaces credentials. */
function redacted({ operation, method, url, headers }: HttpRequest): ShownRequest {
  return {
    ...(operation ? { operation } : {}),
    method,
    url: url.replace(/([?&])([^=&?]*)=[^&]*/g, (pair, start, name) => (isSecret(name) ? `${start}${name}=***` : pair)),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isSecret(name) ? '***' : value])),
  };
}
