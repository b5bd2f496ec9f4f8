import type { Options, WireRequest } from '@petstore/client';
import type { Invocation } from '../invocation.ts';
import { escapeControls } from '../out/escape-controls.ts';
import { isJson, outputOf } from '../out/output-options.ts';
import { serviceFor } from './service.ts';

/** Ends a call where the request would have gone out. */
class NotSent extends Error {}

/** Shows the request that a call would send, and sends nothing. The key is not looked up, and stands as its variable. */
export async function preview(invocation: Invocation, call: (options: Options) => Promise<unknown>): Promise<void> {
  let request: WireRequest | undefined;
  const { options } = await serviceFor(invocation, { needsKey: false });
  const catching = {
    ...options,
    on: {
      request: (settled: WireRequest) => {
        request = settled;
        throw new NotSent();
      },
    },
  };
  try {
    await call(catching);
  } catch (error) {
    if (!(error instanceof NotSent)) throw error;
  }
  if (request) await invocation.io.stdout.write(await shown(request, invocation));
}

async function shown({ method, url, headers, body: sent }: WireRequest, { flags, settings, io }: Invocation) {
  const body = sent === undefined || typeof sent === 'string' ? sent : await new Response(sent).text();
  if (flags.has('curl')) return `${curlLine({ method, url, headers, ...(body !== undefined && { body }) })}\n`;
  if (isJson(outputOf(settings, io))) return `${escapeControls(JSON.stringify({ method, url, headers, body }))}\n`;
  const lines = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  return `${[...lines, ...(body === undefined ? [] : ['', body])].map(escapeControls).join('\n')}\n`;
}

/** The request as a line for a shell, which puts the key in. */
function curlLine({ method, url, headers, body }: Omit<WireRequest, 'signal' | 'body'> & { body?: string }): string {
  const words = Object.entries(headers).flatMap(([name, value]) => ['-H', quoted(`${name}: ${value}`, name)]);
  // curl globs brackets and braces in addresses; --data-raw takes no file for a leading @.
  const data = body === undefined ? [] : ['--data-raw', quoted(body)];
  return ['curl', '--globoff', '-X', method, ...words, ...data, quoted(url)].join(' ');
}

/** One word for a shell. Only the key's variable is left for the shell to fill in. */
function quoted(word: string, header = ''): string {
  if (header === 'authorization') return `"${word}"`;
  // A control character is written so that no terminal sees it.
  const steering = /\p{Cc}/u.test(word);
  const text = word.replaceAll(steering ? /[\\']/g : /'/g, steering ? '\\$&' : "'\\''");
  return steering ? `$'${text.replace(/\p{Cc}/gu, hex)}'` : `'${text}'`;
}

function hex(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
