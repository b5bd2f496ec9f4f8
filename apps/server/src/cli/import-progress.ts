import type { WriteStream } from 'node:tty';

/** Milliseconds between two looks at the number. */
const often = 100;

/** A number that grows in place on a terminal, and in the end one line, wherever that goes. */
export function progressOn(stream: Pick<WriteStream, 'write' | 'isTTY'>) {
  let shown = 0;
  return {
    show(animals: number) {
      if (!stream.isTTY || performance.now() - shown < often) return;
      shown = performance.now();
      stream.write(`\r${animals} animals`);
    },
    end(line?: string) {
      if (shown > 0) stream.write('\r\x1b[K');
      if (line !== undefined) stream.write(`${line}\n`);
    },
  };
}
