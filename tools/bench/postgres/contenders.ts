import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Store } from '@petstore/server';
import { insertion, page } from '@petstore/server/postgres/statements';

export type Work = 'create' | 'list' | 'list sold';

/** How many times a second something is done with so many connections, for so many milliseconds. */
export type Rate = (work: Work, connections: number, milliseconds: number) => Promise<number>;

const limit = 20;
const pet = { name: 'Rex the 1234567th', categoryId: 12, status: 'available' } as const;

/** Our store, with as many callers as connections. */
export function ours(store: Store, size: number): Rate {
  const pets = store.collection('pets');
  const doing: Record<Work, () => unknown> = {
    create: () => pets.create(pet),
    list: () => pets.list({ after: Math.floor(Math.random() * (size - 100)), limit }),
    'list sold': () =>
      pets.list({
        after: Math.floor(Math.random() * (size - 100)),
        limit,
        filter: { property: 'status', value: 'sold' },
      }),
  };
  return async (work, connections, milliseconds) => {
    const started = performance.now();
    let done = 0;
    const call = async () => {
      for (; performance.now() - started < milliseconds; done++) await doing[work]();
    };
    await Promise.all(Array.from({ length: connections }, call));
    return (done / (performance.now() - started)) * 1000;
  };
}

/** The command of PostgreSQL's own bench, if it is there. */
export function findPgbench(folder: string): string | undefined {
  return [join(folder, 'pgbench'), 'pgbench'].find((command) => spawnSync(command, ['--version']).status === 0);
}

/** The same statements sent by pgbench; `together` is how many animals a statement brings. */
export function pgbench(command: string, url: string, schema: string, size: number, scratch: string): PgbenchRate {
  return async (work, connections, milliseconds, together = 1) => {
    const file = join(scratch, `${work.replace(' ', '-')}.sql`);
    writeFileSync(file, script(work, size, together));
    const seconds = String(Math.max(1, Math.round(milliseconds / 1000)));
    const how = `-n -M prepared -c ${connections} -j 2 -T ${seconds} -D number=${Date.now() * 1000}`;
    const env = { ...process.env, PGOPTIONS: `-c search_path=${schema}` };
    const { stdout } = await promisify(execFile)(command, [...how.split(' '), '-f', file, url], { env });
    return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]) * together;
  };
}

export type PgbenchRate = (work: Work, connections: number, milliseconds: number, together?: number) => Promise<number>;

function script(work: Work, size: number, together: number): string {
  if (work === 'create') {
    const { text, values = [] } = insertion(
      Array.from({ length: together }, () => pet),
      { writer: 'pgbench', number: 0 },
    );
    // Each of its connections is a server to the database, and counts its commits from where the clock is.
    const statement = oneLine(filled(text, values)).replace(`'pgbench'::text, 0`, `'pgbench-' || :client_id, :number`);
    return `\\set number :number + 1\n${statement};\n`;
  }
  const { text } = page({ after: 0, limit, ...(work === 'list sold' && { status: 'sold' }) });
  const statement = text.replace('$1', ':after').replace('$2', String(limit));
  return `\\set after random(0, ${size - 100})\n${oneLine(statement)};\n`;
}

function filled(text: string, values: unknown[]): string {
  const literal = (value: unknown) =>
    Array.isArray(value)
      ? `ARRAY[${value.map((item) => (typeof item === 'string' ? `'${item}'` : String(item))).join(',')}]`
      : typeof value === 'string'
        ? `'${value}'`
        : String(value);
  return text.replace(/\$(\d)/g, (_, place) => literal(values[Number(place) - 1]));
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
