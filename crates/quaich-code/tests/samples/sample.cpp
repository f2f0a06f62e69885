// A sample with much of the syntax of C++. é
#include <vector>
#define CHECK(x) do { if (!(x)) abort(); } while (0)

namespace sample {

template <typename T, int N = 3>
class Box final : public Base<T>, private virtual Other {
public:
    explicit Box(const T &value) noexcept : value_(value), size_{N} {}
    Box(Box &&) = default;
    virtual ~Box() = 0;
    Box &operator=(const Box &other) = delete;
    bool operator<(const Box &other) const { return value_ < other.value_; }
    template <class U> auto map(U &&f) -> decltype(f(value_)) { return std::forward<U>(f)(value_); }
    static constexpr unsigned limit = 1'000u;

private:
    T value_;
    std::vector<std::vector<int>> rows_;
    friend class Friend;
    int size_ : 4;
};

enum class Level : unsigned char { Low, High = 0xFF };

using Names = std::vector<std::string>;
typedef void (*Callback)(int);

struct Point {
    double x = 0, y = 0;
    Point operator+(const Point &o) const { return {x + o.x, y + o.y}; }
};

inline int run(int n) {
    auto add = [&n, total = 0](int i) mutable -> int { return total += i + n; };
    for (const auto &name : Names{"a", R"x(raw )" string)x"}) {
        if (auto size = name.size(); size > 3 && size != 5) continue;
        else if (name[0] == '\0') break;
    }
    for (int i = 0; i < n; i++) add(i);
    try {
        int *p = new int[10];
        delete[] p;
        throw std::runtime_error("x");
    } catch (const std::exception &e) {
        std::cerr << e.what() << "\n";
    } catch (...) {
    }
    switch (n) {
    case 1: return static_cast<int>(1.5f);
    default: break;
    }
    return n >> 1 ? sizeof(int) : -n;
}

}  // namespace sample

extern "C" {
int c_function(void);
}

int main() { return sample::run(3); }
