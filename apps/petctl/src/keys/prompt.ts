import { InterruptedError } from '../io/errors.ts';
import type { Io } from '../io/io.ts';

/** Asks for a line on the terminal that does not show what is typed. */
export async function askHidden({ stdin, stderr }: Io, question: string): Promise<string> {
  const input = stdin();
  // First of all, so that what is typed or pasted at once is not shown either.
  input.setRawMode(true);
  input.setEncoding('utf8');
  try {
    await stderr.write(question);
    return await new Promise((resolve, reject) => {
      let line = '';
      input.on('data', (typed: string) => {
        for (const character of typed.replaceAll('\u001b[200~', '').replaceAll('\u001b[201~', '')) {
          if (character === '\r' || character === '\n') return resolve(line);
          if (character === '\u0003' || (character === '\u0004' && line === '')) return reject(new InterruptedError());
          if (character === '\u007f' || character === '\b') line = [...line].slice(0, -1).join('');
          else if (character === '\u0015') line = '';
          else line += character;
        }
      });
      input.on('end', () => resolve(line));
      input.on('error', reject);
    });
  } finally {
    input.setRawMode(false);
    input.removeAllListeners('data');
    input.pause();
    await stderr.write('\n');
  }
}
