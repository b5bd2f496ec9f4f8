import { escapeControls } from './escape-controls.ts';
import type { Format, Shape } from './format.ts';
import { jsonText } from './json-text.ts';

/** YAML 1.2: a sequence of mappings, or one mapping. */
export function yaml({ list }: Shape): Format {
  return {
    head: '',
    row: (row) => (list ? `- ${block(row, '  ')}\n` : `${block(row, '')}\n`),
    tail: (count) => (list && count === 0 ? '[]\n' : ''),
  };
}

/** A value whose first line stands behind what is already there, and whose others begin with the indent. */
function block(value: unknown, indent: string): string {
  if (Array.isArray(value) && value.length > 0)
    return value.map((one) => `- ${block(one, `${indent}  `)}`).join(`\n${indent}`);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const members = Object.entries(value).filter(([, one]) => one !== undefined);
    if (members.length > 0)
      return members.map(([name, one]) => `${scalar(name)}:${member(one, indent)}`).join(`\n${indent}`);
  }
  return scalar(value);
}

function member(value: unknown, indent: string): string {
  const nested = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  return nested ? `\n${indent}  ${block(value, `${indent}  `)}` : ` ${scalar(value)}`;
}

/** Words that no YAML takes for anything else stand as they are; everything else is JSON, which is YAML. */
function scalar(value: unknown): string {
  const plain = typeof value === 'string' && /^[A-Za-z][\w-]*( [\w-]+)*$/.test(value);
  return plain && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value)
    ? value
    : escapeControls(jsonText(value) ?? 'null');
}
