import { service } from '@petstore/types';

export type Deployment = keyof typeof service.deployments;

/** What a transport is given: everything is settled, it only has to be sent. */
export interface WireRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** What a transport answers. A `Response` of fetch is one. */
export interface WireResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** How requests reach the service; fetch, unless told otherwise. */
export type Transport = (request: WireRequest) => Promise<WireResponse>;

export interface Options {
  apiKey: string;
  /** One of the deployments that the spec names. */
  deployment?: Deployment;
  /** The address of any other deployment, ending in the version segment. */
  baseUrl?: string;
  transport?: Transport;
}

/** Where and how to reach the service, as the functions of this package take it. */
export interface Connection {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly transport: Transport;
}

/** What can be said for one call alone. */
export interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** Settles where and how to reach the service. Sends nothing yet. */
export function connect({ apiKey, deployment = 'production', baseUrl, transport }: Options): Connection {
  return {
    apiKey,
    baseUrl: (baseUrl ?? service.deployments[deployment]).replace(/\/+$/, ''),
    transport: transport ?? (({ url, ...init }) => fetch(url, init)),
  };
}
