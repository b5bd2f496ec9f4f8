/** What is known of an answer that may not be all there yet. */
export interface Partial {
  status: number;
  /** Bytes that are still to come; infinitely many where that is not known yet. */
  left: number;
  /** What has come, as long as it has to be looked at again. */
  begun?: Buffer;
}

const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/** Takes the next piece of an answer, from memory that is used again. Nothing follows an answer until something is asked. */
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
