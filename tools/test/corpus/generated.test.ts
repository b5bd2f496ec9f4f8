import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { constructs } from './cases.ts';
import { typeErrors } from './generated-client.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

const outcomes = new Map<string, Outcome>();
const folder = newFolder('generated-client', afterAll);

describe.each(constructs)('$name', ({ name, file, cases }) => {
  test('is sent and read as OpenAPI says, or rejected', async () => {
    const outcome = await outcomeOf(file, cases, join(folder, name));
    outcomes.set(name, outcome);
    expect(outcome.messages).toEqual([]);
    expect(outcome.wrong).toEqual([]);
  });
});

test('the generated types, table and functions compile', () => {
  expect(typeErrors(folder, [...outcomes.keys()])).toEqual([]);
});
