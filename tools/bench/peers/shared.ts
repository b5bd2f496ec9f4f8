// What the servers that ours is compared with have in common.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { operations, service } from '@petstore/types';

/** The data folder. It is in the same variable as that of ours. */
export const folder = process.env.PETSTORE_DATA_DIR ?? '';
export const host = '127.0.0.1';
export const type = 'application/json; charset=utf-8';
export const path = service.basePath + operations.listPets.path;

/** Prints the address of a server that listens, as ours does. */
export function printAddress(server: Server): void {
  const { port } = server.address() as AddressInfo;
  console.error(`listens on http://${host}:${port}`);
}
