import { existsSync } from 'node:fs';
import { type Config, defaultConfig } from '../config/config.ts';
import { type Operation, operations, service } from '../old.ts';
import type { Running } from '../serve.ts';

/** The greeting that the server prints at start: URLs, keys, and commands to try. */
export function greeting({ origin, adminOrigin, madeKey }: Running, config: Config): string {
  const base = `${origin}${service.basePath}`;
  const lines: [label: string, value: string][] = [
    [`${service.title} listens on`, base],
    ['Its docs are at', `${origin}/docs`],
  ];
  if (adminOrigin) lines.push(['For operators', `${adminOrigin}/metrics, /healthz, /readyz`]);
  const width = Math.max(...lines.map(([label]) => label.length)) + 2;
  const addresses = lines.map(([label, value]) => `  ${label.padEnd(width)}${value}\n`).join('');
  return `\n${addresses}${keyLines(madeKey, config)}${commandsToTry(base, madeKey ?? '<your API key>')}`;
}

/** Commands to try, which call the first GET operation without required input. */
function commandsToTry(base: string, key: string): string {
  const operation = Object.values<Operation>(operations).find(
    ({ method, fields }) => method === 'GET' && Object.values(fields).every(({ required }) => !required),
  );
  if (!operation) return '';
  return `
  Try it from another terminal, in this folder:

    PETCTL_API_KEY='${key}' ${programPath('petctl')} --base-url ${base} ${operation.command.join(' ')}
    curl -H 'Authorization: Bearer ${key}' ${base}${operation.path}
`;
}

function keyLines(madeKey: string | undefined, { apiKeys, dataDir }: Config): string {
  if (madeKey) return `\n  API key, made just now and shown only this once:  ${madeKey}\n`;
  if (apiKeys !== undefined) return '';
  const flag = dataDir === defaultConfig().dataDir ? '' : ` --data-dir ${quoted(dataDir)}`;
  return `  For another API key  ${programPath('petstore-server')} keys create${flag}\n`;
}

/** How to run a program: by its path where it is installed in this folder, else by its name. */
function programPath(name: string): string {
  const path = `node_modules/.bin/${name}`;
  return existsSync(path) ? path : name;
}

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
