import { MAX_PAGE_BYTES } from '../limits.ts';
import type { OperationResponse } from '../old.ts';
import { exactJson } from '../old.ts';
import type { JsonText } from '../store/store.ts';
import { Stored } from '../store/stored.ts';

/** The body of a response. */
export type Content = TextContent | StreamContent;

/** A text body. It is a string, so Node sends it in one packet with the head. */
export interface TextContent {
  readonly text: string;
  /** `latin1` where each character stands for one byte. */
  readonly encoding: 'utf8' | 'latin1';
  readonly bytes: number;
  /** The media type; JSON by default. */
  readonly type?: string;
}

/** A streamed body. */
export interface StreamContent {
  readonly stream: ReadableStream<Uint8Array>;
  readonly type: string;
}

/** The body for the result of a handler, as the spec declares the response. */
export function contentOf(described: OperationResponse | undefined, value: unknown): Content | undefined {
  const { kind, mediaType = '' } = described ?? {};
  if (value === undefined || kind === undefined) return undefined;
  const isRange = mediaType.includes('*');
  if (kind === 'bytes') {
    const type = isRange ? 'application/octet-stream' : mediaType;
    return { stream: value as ReadableStream<Uint8Array>, type };
  }
  if (kind === 'text') {
    const plainType = isRange ? 'text/plain' : mediaType;
    const type = /charset=/i.test(plainType) ? plainType : `${plainType}; charset=utf-8`;
    const text = String(value);
    return { text, encoding: 'utf8', bytes: Buffer.byteLength(text), type };
  }
  const isJson = mediaType === 'application/json' || isRange;
  return isJson ? jsonContent(value) : { ...jsonContent(value), type: mediaType };
}

/** The body for a value as JSON. */
export function jsonContent(value: unknown): TextContent {
  const { text, encoding }: JsonText =
    value instanceof Stored ? value.json : { text: exactJson(value), encoding: 'utf8' };
  return { text, encoding, bytes: encoding === 'latin1' ? text.length : Buffer.byteLength(text) };
}

/**
 * The body for a page of these elements, the number of elements in it, and the key of the last. The page ends with the element that
 * reaches MAX_PAGE_BYTES.
 */
export function pageContent(elements: readonly unknown[], key: string) {
  const texts: string[] = [];
  // Two brackets, and a comma after each element but the last.
  let bytes = elements.length === 0 ? 2 : 1;
  for (const element of elements) {
    const text = exactJson(element);
    texts.push(text);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes >= MAX_PAGE_BYTES) break;
  }
  const last = elements[texts.length - 1] as Record<string, unknown> | undefined;
  const content: TextContent = { text: `[${texts.join(',')}]`, encoding: 'utf8', bytes };
  return { content, count: texts.length, last: last?.[key] };
}
