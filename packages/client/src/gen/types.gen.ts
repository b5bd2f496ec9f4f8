// Generated from spec/openapi.yaml (b69edba5c710ce55) by `npm run generate`. Do not edit.

export type {
  ApiError,
  CategoryId,
  ErrorCode,
  NewPet,
  Pet,
  PetId,
  PetName,
  PetStatus,
} from '@petstore/types';
