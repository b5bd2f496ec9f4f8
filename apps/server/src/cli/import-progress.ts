import type { WriteStream } from 'node:tty';

/** Milliseconds between two updates of the number. */
const UPDATE_MS = 100;

/** A number that grows in place on a terminal, and in the end one line, wherever that goes. */
export function progressOn(stream: Pick<WriteStream, 'write' | 'isTTY'>, what: string) {
  let shown = 0;
  return {
    show(count: number) {
      if (!stream.isTTY || performance.now() - shown < UPDATE_MS) return;
      shown = performance.now();
      stream.write(`\r${count} ${what}`);
    },
    end(line?: string) {
      if (shown > 0) stream.write('\r\x1b[K');
      if (line !== undefined) stream.write(`${line}\n`);
    },
  };
}
