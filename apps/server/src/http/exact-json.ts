import { Failure } from './failure.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses JSON, and refuses what JavaScript would change while parsing: broken UTF-8, and integers it cannot hold exactly. */
export function parseExactly(bytes: Uint8Array): unknown {
  const text = attempt(() => utf8.decode(bytes), 'it is not UTF-8');
  // Only numbers this long, or written this way, can lose something.
  const parse = () => (/\d{16}|\d[.eE]/.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text));
  return attempt(parse, 'it is not JSON');
}

function attempt<T>(work: () => T, problem: string): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure('invalid_request', `body: ${problem}`, { cause });
  }
}

function exactNumber(key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value === 'number' && Number.isInteger(value) && !isExact(source, value)) {
    throw new Failure('invalid_request', `body '${key}': ${source.slice(0, 40)} cannot be carried exactly`);
  }
  return value;
}

/** Whether an integer is the very number that was written, down to the last digit. */
function isExact(source: string, value: number): boolean {
  const written = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (!written) return false;
  const [, sign, whole = '', fraction = '', exponent = '0'] = written;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return true;
  const zeros = Number(exponent) - fraction.length + digits.length - significant.length;
  // A double ends at 309 digits, so longer ones were not exact.
  if (zeros < 0 || zeros > 309) return false;
  return BigInt(`${sign}${significant}${'0'.repeat(zeros)}`) === BigInt(value);
}
