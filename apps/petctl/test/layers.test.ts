import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const src = join(import.meta.dirname, '../src');

/** From the top down. A file imports from its own layer and from those below, lazily and for types too. */
const layers = ['.', 'commands', 'call', 'output', 'parse', 'keys', 'settings', 'flags', 'io'];

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8');
  return [...text.matchAll(/(?:from|import\() ?'(\.[^']*\.ts)'/g)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  );
}

const layerOf = (file: string) => layers.indexOf(file.includes('/') ? (file.split('/')[0] ?? '') : '.');

test('every folder is a layer', () => {
  expect(files.filter((file) => layerOf(file) < 0)).toEqual([]);
});

test('imports point downwards', () => {
  const upward = files.flatMap((file) =>
    (imports.get(file) ?? []).filter((to) => layerOf(to) < layerOf(file)).map((to) => `${file} -> ${to}`),
  );
  expect(upward).toEqual([]);
});

test('there is no import cycle', () => {
  const circular = files.filter((file) => {
    const reached = new Set(imports.get(file));
    for (const next of reached) for (const to of imports.get(next) ?? []) reached.add(to);
    return reached.has(file);
  });
  expect(circular).toEqual([]);
});
