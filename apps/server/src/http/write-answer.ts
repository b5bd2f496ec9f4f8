import type { ServerResponse } from 'node:http';
import type { Response } from 'express';
import { announced, type Headers } from './announce.ts';
import type { Exchange } from './exchange.ts';

/** JSON as it goes out, as text, so that Node sends it in one piece with the head. */
export interface Content {
  readonly text: string;
  /** `latin1` where each character stands for one byte. */
  readonly encoding: 'utf8' | 'latin1';
}

/** Writes an answer in one go. */
export type WriteAnswer = (
  response: ServerResponse,
  exchange: Exchange,
  status: number,
  headers: Headers,
  content?: Content,
) => void;

export function jsonOf(value: unknown): Content {
  return { text: JSON.stringify(value), encoding: 'utf8' };
}

export const writeAnswer: WriteAnswer = (response, { requestId, operation }, status, headers, content) => {
  const head = ['X-Request-Id', requestId, ...announced(operation), ...headers];
  if (content) {
    const { text, encoding } = content;
    const length = encoding === 'latin1' ? text.length : Buffer.byteLength(text);
    head.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(length));
    response.writeHead(status, head).end(text, encoding);
  } else {
    if (status !== 204 && status !== 304) head.push('Content-Length', '0');
    response.writeHead(status, head).end();
  }
};

/** The same by way of Express, whose `json` the validator checks first where it checks answers. */
export const writeChecked: WriteAnswer = (response, _exchange, status, headers, content) => {
  const checked = response as Response;
  checked.status(status);
  for (let i = 0; i < headers.length; i += 2) checked.append(headers[i] ?? '', headers[i + 1] ?? '');
  if (content) checked.json(JSON.parse(Buffer.from(content.text, content.encoding).toString()));
  else checked.end();
};
