;; What a range of containers is made of, 16 bytes at a time: text as it stands, and bytes as hex digits. vectors.ts says why.
;; Both give where they ended. Both may read up to 15 bytes past the end, and write 15 (copy) or 30 (hex).
(module
  (memory (export "memory") 1)

  (func (export "copy") (param $from i32) (param $length i32) (param $to i32) (result i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $to) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (v128.store (local.get $to) (v128.load (local.get $from)))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (local.set $to (i32.add (local.get $to) (i32.const 16)))
        (br $next)))
    (local.get $end))

  (func (export "hex") (param $from i32) (param $length i32) (param $to i32) (result i32)
    (local $end i32) (local $bytes v128) (local $high v128) (local $low v128)
    (local.set $end (i32.add (local.get $to) (i32.shl (local.get $length) (i32.const 1))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (local.set $bytes (v128.load (local.get $from)))
        ;; The digit of each half of a byte, looked up in "0123456789abcdef".
        (local.set $high
          (i8x16.swizzle
            (v128.const i8x16 48 49 50 51 52 53 54 55 56 57 97 98 99 100 101 102)
            (i8x16.shr_u (local.get $bytes) (i32.const 4))))
        (local.set $low
          (i8x16.swizzle
            (v128.const i8x16 48 49 50 51 52 53 54 55 56 57 97 98 99 100 101 102)
            (v128.and (local.get $bytes) (v128.const i8x16 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15))))
        ;; In turns, high before low: those of the first eight bytes, then those of the others.
        (v128.store (local.get $to)
          (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $high) (local.get $low)))
        (v128.store offset=16 (local.get $to)
          (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $high) (local.get $low)))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (br $next)))
    (local.get $end)))
