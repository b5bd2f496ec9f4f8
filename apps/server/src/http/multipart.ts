import { MAX_FORM_VALUES, MAX_PART_HEAD_BYTES } from '../limits.ts';
import { HttpError } from './http-error.ts';
import { utf8Of } from './json.ts';

/** RFC 2046 5.1.1. */
const MAX_BOUNDARY_LENGTH = 70;

/** A part of a multipart body. */
export interface Part {
  readonly name: string;
  readonly fileName: string | undefined;
  readonly type: string | undefined;
  readonly bytes: Buffer;
}

/** The parts of a multipart/form-data body (RFC 7578), in one pass over its bytes. */
export function parseParts(bytes: Uint8Array, contentType: string): Part[] {
  const boundary = parametersOf(contentType).get('boundary') ?? '';
  if (boundary === '' || boundary.length > MAX_BOUNDARY_LENGTH) throw malformed('its Content-Type names no boundary');
  const body = Buffer.concat([Buffer.from('\r\n'), bytes]);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: Part[] = [];
  let at = body.indexOf(delimiter);
  if (at < 0) throw malformed('its boundary is missing');
  for (;;) {
    at += delimiter.length;
    if (body.toString('latin1', at, at + 2) === '--') return parts;
    const lineEnd = body.indexOf('\r\n', at);
    const end = body.indexOf(delimiter, at);
    // Only blanks can follow a delimiter in its line. Only the first 80 bytes are checked.
    if (lineEnd < 0 || end < 0 || !/^[ \t]*$/.test(body.toString('latin1', at, Math.min(lineEnd, at + 80)))) {
      throw malformed('a part does not end with the boundary');
    }
    if (parts.length === MAX_FORM_VALUES) throw malformed(`it has more than ${MAX_FORM_VALUES} parts`);
    parts.push(parsePart(body.subarray(lineEnd, end)));
    at = end;
  }
}

/** Parses a part, which begins with the line break before its head. */
function parsePart(bytes: Buffer): Part {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0 || headEnd > MAX_PART_HEAD_BYTES) throw malformed('the head of a part does not end');
  const lines = utf8Of(bytes.subarray(0, headEnd), 'body: the head of a part').split('\r\n').slice(1);
  if (lines.some((line) => !/^[^\s:]+:/.test(line))) throw malformed('a line in the head of a part is no header');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  if (headers.size < lines.length) throw malformed('a part gives a header more than once');
  const disposition = headers.get('content-disposition') ?? '';
  const parameters = parametersOf(disposition);
  const name = unescaped(parameters.get('name'));
  if (!/^form-data *;/i.test(disposition) || name === undefined) throw malformed('a part has no name');
  const fileName = unescaped(parameters.get('filename'));
  return { name, fileName, type: headers.get('content-type'), bytes: bytes.subarray(headEnd + 4) };
}

/**
 * One parameter, which may be empty. The expression is sticky, so each match starts where the previous match ended, in linear
 * time.
 */
const PARAMETER = /;[ \t]*(?:([^\s;="]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))[ \t]*)?/gsy;

/** The parameters of a header, by lower-case name. */
function parametersOf(header: string): Map<string, string> {
  const parameters = new Map<string, string>();
  const text = header.includes(';') ? header.slice(header.indexOf(';')) : '';
  let at = 0;
  for (const [whole, name, quoted, token = ''] of text.matchAll(PARAMETER)) {
    at += whole.length;
    if (name === undefined) continue;
    if (parameters.has(name.toLowerCase())) throw malformed(`'${name}' appears more than once in a header`);
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? token);
  }
  if (at < text.length) throw malformed('a header has something that is no parameter');
  return parameters;
}

/** Decodes a name. HTML percent-encodes only quotes and line breaks. */
function unescaped(name: string | undefined): string | undefined {
  return name?.replace(/%(0D|0A|22)/gi, (escaped) => decodeURIComponent(escaped));
}

function malformed(problem: string): HttpError {
  return new HttpError('invalid_request', `body: ${problem}`);
}
