import { expect, test } from 'vitest';
import { jsonText, jsonValue } from '../src/io/text.ts';

test.each(['9223372036854775807', '{"a":[-9223372036854775808,1],"b":"9223372036854775807"}', '0.5', 'null'])(
  '%s is unchanged',
  (text) => {
    expect(jsonText(jsonValue(text))).toBe(text);
  },
);
