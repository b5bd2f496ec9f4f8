import { MAX_FORM_VALUES, MAX_PART_HEAD_BYTES } from '../limits.ts';
import { HttpError } from './http-error.ts';

/** A part of a multipart body. */
export interface Part {
  readonly name: string;
  readonly fileName: string | undefined;
  readonly type: string | undefined;
  readonly bytes: Buffer;
}

/** The parts of a multipart/form-data body (RFC 7578), in one pass over its bytes. */
export function partsOf(bytes: Uint8Array, contentType: string): Part[] {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  const name = boundary?.[1] ?? boundary?.[2];
  if (name === undefined) throw malformed('its Content-Type names no boundary');
  const body = Buffer.concat([Buffer.from('\r\n'), bytes]);
  const delimiter = Buffer.from(`\r\n--${name}`);
  const parts: Part[] = [];
  let at = body.indexOf(delimiter);
  if (at < 0) throw malformed('its boundary is missing');
  for (;;) {
    at += delimiter.length;
    if (body.toString('latin1', at, at + 2) === '--') return parts;
    const lineEnd = body.indexOf('\r\n', at);
    const end = body.indexOf(delimiter, at);
    // What stands behind a delimiter on its line can only be blanks.
    if (lineEnd < 0 || end < 0 || !/^[ \t]*$/.test(body.toString('latin1', at, Math.min(lineEnd, at + 80)))) {
      throw malformed('a part does not end with the boundary');
    }
    if (parts.length === MAX_FORM_VALUES) throw malformed(`it has more than ${MAX_FORM_VALUES} parts`);
    parts.push(partOf(body.subarray(lineEnd, end)));
    at = end;
  }
}

/** A part from the line feed before its head on. */
function partOf(bytes: Buffer): Part {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0 || headEnd > MAX_PART_HEAD_BYTES) throw malformed('the head of a part does not end');
  const headers = new Map(
    bytes
      .toString('utf8', 0, headEnd)
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const disposition = headers.get('content-disposition') ?? '';
  const name = parameterOf(disposition, 'name');
  if (!/^form-data\s*;/i.test(disposition) || name === undefined) throw malformed('a part has no name');
  const fileName = parameterOf(disposition, 'filename');
  return { name, fileName, type: headers.get('content-type'), bytes: bytes.subarray(headEnd + 4) };
}

/** A parameter of a header. HTML escapes quotes and line ends in names with percent signs, and nothing else. */
function parameterOf(header: string, name: string): string | undefined {
  const [, quoted, token] = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i').exec(header) ?? [];
  const text = quoted?.replace(/\\(["\\])/g, '$1') ?? token;
  return text?.replace(/%(0D|0A|22)/gi, (escaped) => decodeURIComponent(escaped));
}

function malformed(problem: string): HttpError {
  return new HttpError('invalid_request', `body: ${problem}`);
}
