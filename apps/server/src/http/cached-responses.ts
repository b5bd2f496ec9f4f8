import type { ServerResponse } from 'node:http';
import { MAX_CACHED_RESPONSE_BYTES } from '../limits.ts';
import type { CollectionState } from '../store/stored.ts';
import type { RequestContext } from './request-context.ts';
import { canBeWhole, dateText, type Headers, wholeText } from './response.ts';
import type { TextContent } from './response-content.ts';
import type { TargetCache } from './target-cache.ts';

/** Whether the request identifier has 36 characters, so another identifier of this length can replace it in the bytes of a response. */
const hasFixedId = ({ requestId }: RequestContext) => requestId.length === 36;

/** Caches responses to targets that are requested repeatedly between two writes. */
export function cachedResponses(cache: TargetCache) {
  return { save, send };

  /** Caches a response if its target was requested twice without a write in between. */
  function save(
    response: ServerResponse,
    context: RequestContext,
    status: number,
    headers: Headers,
    content: TextContent,
    state: CollectionState,
  ): void {
    const { target, requestId, method } = context;
    if (method !== 'GET' || target.input === undefined) return;
    const isRepeated = state.version !== undefined && state.version === target.lastVersion;
    target.lastVersion = state.version;
    if (!isRepeated || !hasFixedId(context) || content.bytes > MAX_CACHED_RESPONSE_BYTES || !canBeWhole(response))
      return;
    const text = wholeText(response.keepAlive, context, status, headers, content);
    const idAt = text.indexOf(requestId);
    const dateAt = text.indexOf('\r\nDate: ') + '\r\nDate: '.length;
    // The clock may be in the next second already, so this reads the date from the text.
    const date = text.slice(dateAt, text.indexOf('\r\n', dateAt));
    const bytes = Buffer.from(text, content.encoding);
    cache.setResponse(target, { status, bytes, idAt, dateAt, date, state });
  }

  /** Sends the cached response of a target. Returns false if no cached response is valid, or if Node has to write the head. */
  function send(response: ServerResponse, context: RequestContext): boolean {
    const { target, requestId, method } = context;
    const { response: cached } = target;
    if (!cached || method !== 'GET' || !hasFixedId(context) || !canBeWhole(response)) return false;
    const { status, state, bytes, idAt, dateAt } = cached;
    if (state.version !== state.collection.version()) {
      cache.setResponse(target, undefined);
      return false;
    }
    bytes.write(requestId, idAt, 'latin1');
    const date = dateText();
    if (date !== cached.date) bytes.write(date, dateAt, 'latin1');
    cached.date = date;
    response.statusCode = status;
    // If the bytes wait for a slow client, the cache drops them, so the next response does not overwrite them.
    if (!response.send(bytes)) cache.setResponse(target, undefined);
    return true;
  }
}
