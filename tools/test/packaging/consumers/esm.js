import * as client from '@petstore/client';
import * as testing from '@petstore/client/testing';
import { roundTrip } from './round-trip.js';

console.log(JSON.stringify(await roundTrip(client, testing, process.argv[2])));
