import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type Petstore, petstore } from '@petstore/client';
import { newFolder } from '@petstore/testing';
import { apiKey, type ServerProcess } from '@petstore/testing/server';
import type { Input } from '@petstore/types';

/** A server process of the library, and its client. Both are there when tests run. */
export interface Library {
  server: ServerProcess;
  api: Petstore;
}

export const emma = {
  title: 'Emma',
  isbn: 9780141439587,
  genre: 'novel',
  author: { name: 'Jane Austen', born: 1775 },
} satisfies Input<'createBook'>;

/** The smallest valid picture. */
export const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export function optionsOf({ baseUrl }: ServerProcess) {
  return { baseUrl, apiKey, retry: 0 };
}

export function clientOf(server: ServerProcess): Petstore {
  return petstore(optionsOf(server));
}

const petctlProgram = join(import.meta.dirname, '../../petctl/dist/petctl.js');

/** The stdout of petctl. */
export function petctl({ baseUrl }: ServerProcess, args: readonly string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    HOME: newFolder('home'),
    PETCTL_BASE_URL: baseUrl,
    PETCTL_API_KEY: apiKey,
    PETCTL_KEYRING: 'false',
  };
  return execute(petctlProgram, args, env);
}

/** The stdout of a program; rejects with its stderr if it fails. */
export function execute(program: string, args: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${args.join(' ')}: ${stderr}`, { cause: error }));
      else resolve(stdout);
    });
    child.stdin?.end(input);
  });
}
