import type { Answer, CallOptions, Connection } from './connection.ts';
import { deliver } from './deliver.ts';
import { refusal } from './read.ts';

/** A request that no function of this package makes. */
export interface RawRequest {
  readonly method: string;
  /** Behind the base address, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The text of a success, with the same key, time, retries and errors as any call: for what the spec does not describe. */
export function request(
  connection: Connection,
  { method, path, headers = {}, body }: RawRequest,
  options: CallOptions = {},
): Promise<{ readonly text: string; readonly response: Answer }> {
  const draft = () => ({ url: connection.baseUrl + path, headers, ...(body !== undefined && { body }) });
  const done = (response: Answer, text: string) => {
    if (response.status < 200 || response.status > 299) throw refusal(response, text);
    return { text, response };
  };
  return deliver(connection, { id: `${method} ${path}`, method }, draft, done, options);
}
