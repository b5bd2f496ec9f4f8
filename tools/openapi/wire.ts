import { type Body, jsonText, type Part } from './body.ts';
import type { ExpectedRequest } from './serialize.ts';

/** A request as fetch takes it, behind the address of a server. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** The bytes of a request. */
export function wireRequest({ method, target, headers, body }: ExpectedRequest): WireRequest {
  if (!body) return { method, target, headers };
  if (!('parts' in body)) return { method, target, headers, body: contentOf(body) };
  const type = `${headers['content-type']}; boundary=${BOUNDARY}`;
  const parts = body.parts.map((part) => Buffer.concat([Buffer.from(headOf(part)), bytesOf(part), CRLF]));
  const bytes = Uint8Array.from(Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]));
  return { method, target, headers: { ...headers, 'content-type': type }, body: bytes };
}

const BOUNDARY = 'boundary-of-a-test-request';
const CRLF = Buffer.from('\r\n');

function contentOf(body: Exclude<Body, { parts: unknown }>): string | Uint8Array<ArrayBuffer> {
  if ('json' in body) return jsonText(body.json);
  if ('text' in body) return body.text;
  return 'form' in body ? new URLSearchParams(body.form).toString() : Uint8Array.from(body.bytes);
}

function headOf({ name, filename, contentType, headers = {} }: Part): string {
  const file = filename === undefined ? '' : `; filename="${filename}"`;
  const lines = [`Content-Disposition: form-data; name="${name}"${file}`, `Content-Type: ${contentType}`];
  const more = Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
  return [`--${BOUNDARY}`, ...lines, ...more, '', ''].join('\r\n');
}

function bytesOf(part: Part): Uint8Array {
  return part.bytes ?? Buffer.from('json' in part ? jsonText(part.json) : (part.text ?? ''));
}
