import type { Wire } from './build-request.ts';
import type { CallOptions, Connection } from './connection.ts';
import type { CallError } from './errors.ts';
import { type CallArguments, type DataAndResponse, execute } from './execute.ts';
import { deployments, type Input, type OperationId, type Result } from './old.ts';

/** How a call ended, as a value: with data, or with an error. */
export type Outcome<Id extends OperationId> =
  | ({ readonly ok: true } & DataAndResponse<Result<Id>>)
  | { readonly ok: false; readonly error: CallError };

/** A call in progress. Awaited, it returns the data of a success and throws an error otherwise. */
export interface Call<Id extends OperationId> extends Promise<Result<Id>> {
  readonly operation: Id;
  /** The data, and the response that contained it. */
  withResponse(): Promise<DataAndResponse<Result<Id>>>;
  /** Calls the operation again with changed arguments. */
  repeat(change: (args: CallArguments) => CallArguments): Promise<DataAndResponse<Result<Id>>>;
}

/** Calls an operation. */
export function send<Id extends OperationId>(
  connection: Connection,
  wire: Wire<Id>,
  input: Input<Id> | undefined,
  options?: CallOptions,
): Call<Id> {
  const args: CallArguments = { input, options };
  const first = execute(connection, wire, args);
  const data = first.then((success) => success.data);
  return Object.assign(data, {
    operation: wire.id,
    // Waits for `data` too: otherwise its rejection would be unhandled.
    withResponse: () => data.then(() => first),
    repeat: (change: (args: CallArguments) => CallArguments) => execute(connection, wire, change(args)),
  });
}

/** How a call ended, as a value. Rejects only for a wrong input or option, and for errors of `check` and of credential functions. */
export async function outcome<Id extends OperationId>(call: Call<Id>): Promise<Outcome<Id>> {
  try {
    return { ok: true, ...(await call.withResponse()) };
  } catch (error) {
    // The error may be from another copy of this package, so its class is not compared.
    if ('attempts' in Object(error)) return { ok: false, error: error as CallError };
    throw error;
  }
}

/**
 * The connection to the server that the spec declares for one operation. A base address that is no deployment of the spec,
 * such as that of a test server, applies to all operations.
 */
export function atServer(connection: Connection, server: string): Connection {
  const { baseUrl } = connection;
  const urls = Object.values<string>(deployments).filter((url) => URL.canParse(url));
  // If the spec has no absolute URL, any base address may be a deployment.
  const mayBeDeployment = urls.length === 0 || urls.some((url) => normalized(url) === normalized(baseUrl));
  return mayBeDeployment ? { ...connection, baseUrl: normalized(server, baseUrl) } : connection;
}

/** A URL without a default port and without trailing slashes. */
const normalized = (url: string, base?: string) => new URL(url, base).href.replace(/\/+$/, '');

/** A call of a list. */
export type PageCall<Id extends OperationId> = Call<Id>;
