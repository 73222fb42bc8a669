// leveldb_load: threads that put, get, delete and scan in one leveldb database. Called as `leveldb THREADS SIZE FOLDER`;
// SIZE is the number of operations of each thread. Each has keys of its own, so that the end is the same in every run.
#include "common.h"
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/write_batch.h"
#include <cstdio>
#include <map>
#include <memory>
#include <string>

namespace {

constexpr uint64_t kKeys = 4000;

struct Work {
    leveldb::DB *db;
    long operations;
};

void must(const leveldb::Status &status) {
    if (!status.ok()) die(status.ToString().c_str());
}

std::string key_of(int thread, uint64_t n) {
    char text[32];
    std::snprintf(text, sizeof text, "thread%02d/key%06llu", thread, static_cast<unsigned long long>(n));
    return text;
}

std::string value_of(uint64_t random) { return std::string(20 + random % 180, static_cast<char>('a' + random % 26)); }

void check_get(leveldb::DB *db, const std::string &key, const std::map<std::string, std::string> &expected) {
    std::string value;
    leveldb::Status status = db->Get(leveldb::ReadOptions(), key, &value);
    auto it = expected.find(key);
    if (it == expected.end() ? !status.IsNotFound() : (!status.ok() || value != it->second)) die("a wrong value was read");
}

void scan(leveldb::DB *db, const std::string &from) {
    std::unique_ptr<leveldb::Iterator> it(db->NewIterator(leveldb::ReadOptions()));
    int left = 20;
    std::string last;
    for (it->Seek(from); it->Valid() && left > 0; it->Next(), left--) {
        std::string key = it->key().ToString();
        if (key <= last) die("a scan is out of order");
        last = key;
    }
    must(it->status());
}

void *operate(void *arg) {
    auto *me = static_cast<const member *>(arg);
    auto *work = static_cast<Work *>(me->work);
    uint64_t random = 41 + static_cast<uint64_t>(me->id);
    std::map<std::string, std::string> expected;
    for (long i = 0; i < work->operations; i++) {
        uint64_t choice = next_random(&random) % 100;
        std::string key = key_of(me->id, next_random(&random) % kKeys);
        if (choice < 40) {
            expected[key] = value_of(next_random(&random));
            must(work->db->Put(leveldb::WriteOptions(), key, expected[key]));
        } else if (choice < 50) {
            expected.erase(key);
            must(work->db->Delete(leveldb::WriteOptions(), key));
        } else if (choice < 98) {
            check_get(work->db, key, expected);
        } else {
            scan(work->db, key);
        }
    }
    return nullptr;
}

}  // namespace

int main(int argc, char **argv) {
    args args = parse_args(argc, argv, 20000);
    if (argc < 4) die("usage: leveldb THREADS SIZE FOLDER");
    std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(1 << 20));
    std::unique_ptr<const leveldb::FilterPolicy> filter(leveldb::NewBloomFilterPolicy(10));
    leveldb::Options options;
    options.create_if_missing = true;
    options.error_if_exists = true;
    options.write_buffer_size = 1 << 20;  // small, so that compaction in the background has work
    options.block_cache = cache.get();
    options.filter_policy = filter.get();
    leveldb::DB *opened = nullptr;
    must(leveldb::DB::Open(options, argv[3], &opened));
    std::unique_ptr<leveldb::DB> db(opened);
    Work work{db.get(), args.size};
    run_team(args.threads, &work, operate);

    uint64_t hash = CHECKSUM_START;
    std::unique_ptr<leveldb::Iterator> it(db->NewIterator(leveldb::ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
        hash = checksum(hash, it->key().data(), it->key().size());
        hash = checksum(hash, it->value().data(), it->value().size());
    }
    must(it->status());
    it.reset();
    print_checksum("leveldb", hash);
    return 0;
}
