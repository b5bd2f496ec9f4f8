/** The state of a response that may be incomplete. */
export interface Partial {
  status: number;
  /** Bytes still to come; infinite while the length is unknown. */
  left: number;
  /** The bytes received so far, while they have to be parsed again. */
  begun?: Buffer;
}

const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/** Parses the next chunk of a response, which lies in a reused buffer. No bytes follow a response before the next request. */
export function answerIn(chunk: Buffer, before: Partial | undefined): Partial {
  if (before && !before.begun) return { status: before.status, left: before.left - chunk.length };
  const bytes = before?.begun ? Buffer.concat([before.begun, chunk]) : chunk;
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.toString('latin1', 0, Math.max(end, 0));
  const status = Number(head.slice(9, 12));
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  if (length !== undefined) return { status, left: end + 4 + Number(length) - bytes.length };
  // In chunks, the last one ends it.
  if (end >= 0 && bytes.subarray(-lastChunk.length).equals(lastChunk)) return { status, left: 0 };
  return { status, left: Number.POSITIVE_INFINITY, begun: Buffer.from(bytes) };
}
