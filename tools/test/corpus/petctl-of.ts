import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { afterAll } from 'vitest';
import { type RecordedResponse, recorder } from '../../openapi/recorder.ts';
import { generateWhatFits, loadClient } from './generated-client.ts';
import { loadPetctl } from './generated-petctl.ts';

/** Where the documents of these tests are served. */
export const server = 'https://api.example.com';

export interface Options extends Partial<RecordedResponse> {
  readonly env?: Record<string, string>;
  readonly stdin?: string | Uint8Array;
  readonly isTerminal?: boolean;
}

/** petctl of a document, with a home of its own. `run` gives what a command line sent, and how it ended. */
export async function petctlOf(document: string) {
  const folder = newFolder('generated-petctl', afterAll);
  const file = join(folder, 'openapi.yaml');
  writeFileSync(
    file,
    `openapi: 3.1.0\ninfo: { title: t, version: 1.0.0 }\nservers: [ { url: ${server} } ]\n${document}`,
  );
  const { files, rejected } = await generateWhatFits(file);
  if (rejected.length > 0) throw new Error(rejected.join('\n'));
  await loadClient(files, folder);
  const petctl = await loadPetctl(folder);

  const run = async (
    line: string | string[],
    { env = {}, stdin = '', isTerminal = false, ...response }: Options = {},
  ) => {
    const { sent, transport } = recorder(server, response);
    const recording = async (request: Parameters<typeof transport>[0]) =>
      Object.assign(await transport(request), { rawHeaders: [] });
    const argv = typeof line === 'string' ? line.split(' ') : line;
    const config = { XDG_CONFIG_HOME: folder, PETCTL_KEYRING: 'false' };
    const { code, stdout, stderr } = await petctl.run(argv, {
      env: { ...config, ...env },
      stdin,
      isTerminal,
      transport: recording as never,
    });
    return { code, stdout: Buffer.from(stdout).toString('latin1'), stderr, sent };
  };
  return { folder, petctl, run };
}
