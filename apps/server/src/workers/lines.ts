import { MAX_LOG_BUFFER_BYTES } from '../limits.ts';

const NEWLINE = 0x0a;

/** Passes on what comes in pieces as whole lines. A line that is longer than the log's buffer is dropped, and one that does not end. */
export function wholeLines(pass: (lines: string) => void): (piece: Buffer) => void {
  let begun: Buffer[] = [];
  let bytes = 0;
  return (piece) => {
    const isTooLong = bytes > MAX_LOG_BUFFER_BYTES;
    const start = isTooLong ? piece.indexOf(NEWLINE) + 1 : 0;
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      pass(Buffer.concat([...begun, piece.subarray(start, end)]).toString());
      begun = [];
      bytes = 0;
    }
    bytes += piece.length - end;
    if (bytes > MAX_LOG_BUFFER_BYTES) begun = [];
    else if (piece.length > end) begun.push(piece.subarray(end));
  };
}
