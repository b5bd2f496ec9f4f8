// The commands `export` and `import`, as they are typed.
import { execFileSync } from 'node:child_process';
import { chownSync, closeSync, openSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, skips } from '@petstore/testing';
import { expect, test } from 'vitest';
import { environment, main, runCommand, startForTest } from '../listening.ts';
import { key } from '../wire.ts';

const head = '{"format":"petstore export 1","nextIds":{"pets":10}}\n';
const rex =
  '{"collection":"pets","document":{"id":1,"name":"Rex","categoryId":9223372036854775807}}\n';
const ida =
  '{"collection":"pets","document":{"id":2,"name":"Ida","categoryId":2,"status":"sold"}}\n';
const nameless = '{"collection":"pets","document":{"id":3,"categoryId":2}}\n';
const end = (documents: number) => `${JSON.stringify({ documents })}\n`;

const run = (folder: string, input: string | undefined, ...args: string[]) => {
  const { status, stdout, stderr } = runCommand(args, { PETSTORE_DATA_DIR: folder }, input);
  return { status, stdout, stderr };
};

/** What `export` prints: the next identifier of pets, and the lines that follow the head. */
function exported(folder: string): { nextId: number; lines: string } {
  const { stdout } = run(folder, undefined, 'export');
  const start = stdout.indexOf('\n') + 1;
  const { nextIds } = JSON.parse(stdout.slice(0, start));
  return { nextId: nextIds.pets, lines: stdout.slice(start) };
}

test('an import says how many documents it added, and how many were there already', () => {
  const folder = newFolder();
  const first = run(folder, head + rex + end(1), 'import');
  expect(first).toEqual({
    status: 0,
    stdout: '',
    stderr: 'Imported 1 documents; 0 were there already.\n',
  });
  const again = run(folder, head + rex + ida + end(2), 'import');
  expect(again.stderr).toBe('Imported 1 documents; 1 were there already.\n');
  expect(exported(folder)).toEqual({ nextId: 10, lines: rex + ida + end(2) });
  expect(readdirSync(folder).filter((name) => name.includes('import'))).toEqual([]);
});

test('a document that is not as the spec says is named with its line before anything is written, and can be imported all the same', () => {
  const folder = newFolder();
  const input = head + rex + nameless + ida + end(3);
  const refused = run(folder, input, 'import');
  expect(refused).toEqual({
    status: 1,
    stdout: '',
    stderr:
      "petstore-server: Line 3: document must have required property 'name'; correct the input, or import it all the same with --unchecked.\n",
  });
  expect(exported(folder)).toEqual({ nextId: 1, lines: end(0) });
  const unchecked = run(folder, input, 'import', '--unchecked');
  expect(unchecked.stderr).toBe('Imported 3 documents; 0 were there already.\n');
});

test('an import reads a file as well as a pipe', () => {
  const folder = newFolder();
  const file = join(folder, 'pets.jsonl');
  writeFileSync(file, head + rex + end(1));
  const input = openSync(file, 'r');
  try {
    const env = environment({ PETSTORE_DATA_DIR: join(folder, 'data') });
    execFileSync(process.execPath, [main, 'import'], { env, stdio: [input, 'ignore', 'ignore'] });
  } finally {
    closeSync(input);
  }
  expect(exported(join(folder, 'data'))).toEqual({ nextId: 10, lines: rex + end(1) });
});

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const noOwner = skips(
  'the owner of imported files',
  isRoot ? undefined : 'only root may change it',
);

test.skipIf(noOwner)(
  "an import by root leaves the files to the folder's owner, whose server starts",
  async () => {
    const uid = 65_534;
    const gid = 65_534;
    const folder = newFolder();
    chownSync(folder, uid, gid);
    expect(run(folder, head + rex + end(1), 'import').status).toBe(0);
    for (const name of readdirSync(folder))
      expect([name, statSync(join(folder, name)).uid]).toEqual([name, uid]);
    const server = await startForTest({ PETSTORE_DATA_DIR: folder });
    const pets = await fetch(`${server.baseUrl}/pets`, { headers: key });
    expect(await pets.json()).toHaveLength(1);
    await server.kill('SIGTERM');
    // As the owner opens them.
    const open = `require('fs').openSync(process.argv[1], 'r+')`;
    for (const name of readdirSync(folder))
      execFileSync(process.execPath, ['-e', open, join(folder, name)], { uid, gid });
  },
);
