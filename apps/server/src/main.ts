#!/usr/bin/env node
import { ConfigError, readConfig } from './config.ts';
import { type Running, serve } from './serve.ts';
import { basePath } from './spec.ts';

try {
  const running = await serve(readConfig(process.env));
  console.log(greeting(running));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void running.stop());
} catch (error) {
  console.error(`petstore-server: ${sentence(error)}`);
  process.exitCode = 1;
}

function greeting({ origin, madeKey }: Running): string {
  const base = `${origin}${basePath}`;
  const key = madeKey ?? '<your API key>';
  return `
  Petstore listens on  ${base}
  The interface is at  ${origin}/openapi.yaml
${madeKey ? `\n  API key, made just now and shown only this once:  ${madeKey}\n` : ''}
  Try it from another terminal, in this folder:

    PETCTL_API_KEY='${key}' npx petctl --base-url ${base} pets list
    curl -H 'Authorization: Bearer ${key}' ${base}/pets
`;
}

function sentence(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === 'EADDRINUSE')
    return `port ${port} on ${address} is taken; choose another one with PORT=${(port ?? 0) + 1} npm start.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
