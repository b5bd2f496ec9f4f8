import type { Answer, CallOptions, Connection } from './connection.ts';
import { deliver } from './deliver.ts';
import { authorize } from './gen/schemes.gen.ts';
import type { Body } from './place.ts';

/** A request that no function of this package makes. */
export interface RawRequest {
  readonly method: string;
  /** Behind the base address, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
}

/** The text of a success, with the same key, time, retries and errors as any call: for what the spec does not describe. */
export function request(
  connection: Connection,
  { method, path, headers = {}, body }: RawRequest,
  options: CallOptions = {},
): Promise<{ readonly text: string; readonly response: Answer }> {
  const draft = () => ({
    url: connection.baseUrl + path,
    headers: { ...headers },
    ...(body !== undefined && { body }),
  });
  const done = async (response: Answer, read: () => Promise<string>) => {
    const text = await read();
    return { text, response };
  };
  return deliver(connection, { id: `${method} ${path}`, method, authorize }, draft, done, options);
}
