# Greets.
def greet(name):
    if name:
        print('Hello,', name)  # with a comma


greet('world')
