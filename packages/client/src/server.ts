import { deployments } from '@petstore/types';
import type { Connection } from './connection.ts';

/**
 * The connection to the server that the spec names for one operation. A base address that the spec does not name, such
 * as that of a test server, is the caller's choice for all operations.
 */
export function atServer(connection: Connection, server: string): Connection {
  const { baseUrl } = connection;
  const named = Object.values<string>(deployments).filter((url) => URL.canParse(url));
  const isOther = named.length > 0 && !named.some((url) => bare(url) === bare(baseUrl));
  return isOther ? connection : { ...connection, baseUrl: bare(server, baseUrl) };
}

/** As URLs are written: without the port that is usual, and without slashes at the end. */
const bare = (url: string, base?: string) => new URL(url, base).href.replace(/\/+$/, '');
