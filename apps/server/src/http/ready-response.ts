import type { ServerResponse } from 'node:http';
import { MAX_READY_RESPONSE_BYTES } from '../limits.ts';
import type { RequestContext } from './request-context.ts';
import { canBeWhole, dateText, type Headers, type TextContent, wholeText } from './response.ts';
import type { CollectionState, Targets } from './targets.ts';

const hasFixedId = ({ requestId }: RequestContext) => requestId.length === 36;

/** Cached responses to targets that are requested repeatedly while nothing is written. */
export function readyResponses(targets: Targets) {
  return { prepare, send };

  /** Caches a response whose target was requested twice without a write in between. */
  function prepare(
    response: ServerResponse,
    context: RequestContext,
    status: number,
    headers: Headers,
    content: TextContent,
    state: CollectionState,
  ): void {
    const { target, requestId, operation } = context;
    // Another operation may have the same target.
    if (!operation || target.accepted?.operation !== operation) return;
    const isRepeated = state.version !== undefined && state.version === target.lastVersion;
    target.lastVersion = state.version;
    if (!isRepeated || !hasFixedId(context) || content.bytes > MAX_READY_RESPONSE_BYTES || !canBeWhole(response))
      return;
    const text = wholeText(response.keepAlive, context, status, headers, content);
    const [idAt, date] = [text.indexOf(requestId), dateText()];
    const dateAt = text.indexOf(`\r\nDate: ${date}`) + 8;
    const bytes = Buffer.from(text, content.encoding);
    targets.setReady(target, { operation, status, bytes, idAt, dateAt, date, state });
  }

  /** Sends the ready response of a target; false where there is none that is still right, or the request is unusual. */
  function send(response: ServerResponse, context: RequestContext): boolean {
    const { target, requestId, operation } = context;
    const { ready } = target;
    if (!ready || ready.operation !== operation || !hasFixedId(context) || !canBeWhole(response)) return false;
    const { status, state, bytes, idAt, dateAt } = ready;
    if (state.version !== state.collection.version()) {
      targets.setReady(target, undefined);
      return false;
    }
    bytes.write(requestId, idAt, 'latin1');
    const date = dateText();
    if (date !== ready.date) bytes.write(date, dateAt, 'latin1');
    ready.date = date;
    response.statusCode = status;
    // What waits for a slow client must not change any more.
    if (!response.send(bytes)) targets.setReady(target, undefined);
    return true;
  }
}
